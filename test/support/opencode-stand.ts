import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AcpCommand } from '../../src/contract/agents.ts';
import { AcpStand } from './acp-stand.ts';
import { startScriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts';

/** The real one, as its package brings it. */
export const opencode: AcpCommand = {
  id: 'opencode',
  name: 'opencode',
  command: fileURLToPath(new URL('../../node_modules/.bin/opencode', import.meta.url)),
  args: ['acp'],
  passVariables: ['OPENCODE_CONFIG_CONTENT'],
};

/** opencode with nothing of the machine's user around it, a scripted model, and no way out but one that is watched. */
export class OpencodeStand implements AsyncDisposable {
  readonly acp: AcpStand;
  readonly model: ScriptedModel;
  /** What it wanted to reach beside the model, as `host:port` or as a URL. */
  readonly reached: readonly string[];
  readonly #closeProxy: () => Promise<void>;

  private constructor(
    acp: AcpStand,
    model: ScriptedModel,
    reached: readonly string[],
    closeProxy: () => Promise<void>,
  ) {
    this.acp = acp;
    this.model = model;
    this.reached = reached;
    this.#closeProxy = closeProxy;
  }

  static async start(
    script: ScriptedModelOptions['script'],
    files: Record<string, string>,
  ): Promise<OpencodeStand> {
    const acp = new AcpStand(files);
    const model = await startScriptedModel({ script });
    const reached: string[] = [];
    const proxy = createServer((request, response) => {
      reached.push(request.url ?? '');
      response.writeHead(403).end();
    });
    proxy.on('connect', (request, socket) => {
      reached.push(request.url ?? '');
      socket.on('error', () => {});
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    const listening = Promise.withResolvers<void>();
    proxy.listen(0, '127.0.0.1', listening.resolve);
    await listening.promise;
    const { port } = proxy.address() as AddressInfo;
    acp.env = environment(acp.home, model.url, `http://127.0.0.1:${port}`);
    return new OpencodeStand(acp, model, reached, async () => {
      const closed = Promise.withResolvers<void>();
      proxy.close(() => closed.resolve());
      proxy.closeAllConnections();
      await closed.promise;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.model[Symbol.asyncDispose]();
    await this.#closeProxy();
    this.acp[Symbol.dispose]();
  }
}

function environment(home: string, modelUrl: string, proxy: string): NodeJS.ProcessEnv {
  const config = {
    model: 'local/docs-model',
    small_model: 'local/docs-model',
    provider: {
      local: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Local',
        options: { baseURL: modelUrl, apiKey: 'key-of-the-test' },
        models: { 'docs-model': { name: 'Docs Model' } },
      },
    },
    // What a user may have set, and what must not count here.
    permission: { bash: 'allow', edit: 'allow', webfetch: 'allow' },
  };
  return {
    PATH: process.env['PATH'],
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, 'config'),
    XDG_DATA_HOME: path.join(home, 'data'),
    XDG_CACHE_HOME: path.join(home, 'cache'),
    XDG_STATE_HOME: path.join(home, 'state'),
    TMPDIR: home,
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    https_proxy: proxy,
    http_proxy: proxy,
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
  };
}

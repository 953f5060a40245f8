import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { homeVariable } from '../../../src/contract/local-service.ts';
import { EditorFront } from './front.ts';
import type { InstalledEditor } from './install.ts';
import { killLocalService, stopLocalService } from './local-service.ts';
import { OwnedProcess } from './owned-process.ts';

/** It is ready in about three seconds; a busy machine takes its time, and only a failure takes all of this. */
const readyMs = 180_000;

export interface ServerOptions {
  readonly editor: InstalledEditor;
  /** Settings, extensions and state of this editor; a second server with the same folder is a restart. */
  readonly dataFolder: string;
  /** Folder of the local service's files, apart from the user's own. */
  readonly home: string;
  /** False where Restricted Mode itself is looked at. */
  readonly trustEverything: boolean;
  /**
   * Lets a window take an extension's folder and its tests: without it a built VS Code ignores both without
   * a word. With it notifications are not shown, so a window that is looked at has the extension installed.
   */
  readonly runsTests?: boolean;
  /** A person may leave the page alone for hours; a test that was killed must not leave a server behind. */
  readonly staysWithoutWindows?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  /** A free one unless said. Browsers keep secrets and state by address, so a later start wants the same. */
  readonly port?: number;
}

/** Nothing is looked up at an extension gallery. */
const noGallery = { EXTENSIONS_GALLERY: '{"serviceUrl":""}' };

/** Installs a packaged extension before the server starts. */
export async function installExtension(
  editor: InstalledEditor,
  dataFolder: string,
  vsix: string,
): Promise<void> {
  const args = [editor.serverMain, '--install-extension', vsix, '--force', '--server-data-dir', dataFolder];
  const env = cleanEnvironment({ ...process.env, ...noGallery });
  await promisify(execFile)(editor.node, [...args, '--accept-server-license-terms'], {
    env,
    timeout: readyMs,
  });
}

/** VS Code's server with its browser workbench, on a free loopback port. */
export class EditorServer implements AsyncDisposable {
  readonly #options: ServerOptions;
  readonly #front: EditorFront;
  readonly #killAtExit = (): void => killLocalService(this.#options.home);
  #process: OwnedProcess;

  private constructor(options: ServerOptions, owned: OwnedProcess, front: EditorFront) {
    this.#options = options;
    this.#process = owned;
    this.#front = front;
    process.on('exit', this.#killAtExit);
  }

  get port(): number {
    return this.#front.port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Settles when the server ends, whoever ended it. */
  get ended(): Promise<number | NodeJS.Signals> {
    return this.#process.ended;
  }

  /** Throws what the server printed when it ends or is silent instead of getting ready. */
  static async start(options: ServerOptions): Promise<EditorServer> {
    const owned = startProcess(options);
    try {
      const front = await EditorFront.start(await boundPort(owned), options.dataFolder, options.port ?? 0);
      return new EditorServer(options, owned, front);
    } catch (error) {
      await owned[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Ends it and starts it again with its state, at an address that nobody else could take meanwhile. */
  async restart(whileClosed: () => void): Promise<void> {
    await this.#end();
    whileClosed();
    this.#process = startProcess(this.#options);
    this.#front.leadTo(await boundPort(this.#process));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#front[Symbol.asyncDispose]();
    await this.#end();
    process.off('exit', this.#killAtExit);
  }

  async #end(): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
    await stopLocalService(this.#options.home);
  }
}

function startProcess(options: ServerOptions): OwnedProcess {
  const { editor, home } = options;
  const env = cleanEnvironment({ ...process.env, ...options.env, [homeVariable]: home });
  return new OwnedProcess(editor.node, [editor.serverMain, ...serverArguments(options)], {
    env: { ...env, ...noGallery },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function serverArguments(options: ServerOptions): string[] {
  const args = ['--host', '127.0.0.1', '--port', '0', '--without-connection-token'];
  args.push(
    '--accept-server-license-terms',
    '--telemetry-level',
    'off',
    '--server-data-dir',
    options.dataFolder,
  );
  if (options.runsTests) args.push('--enable-smoke-test-driver');
  if (options.trustEverything) args.push('--disable-workspace-trust');
  if (!options.staysWithoutWindows) args.push('--enable-remote-auto-shutdown');
  return args;
}

/** An editor that was started from an editor's terminal or from npm must not think it is part of it. */
function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = /^(VSCODE_|ELECTRON_|npm_|NODE_OPTIONS$|NODE_CHANNEL_)/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
}

function boundPort(owned: OwnedProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let printed = '';
  const read = (chunk: Buffer): void => {
    if (printed.length > 100_000) return;
    printed += chunk.toString('utf8');
    const found = /Extension host agent listening on (\d+)\D/.exec(printed);
    if (found) resolve(Number(found[1]));
  };
  const fail = (what: string): void => reject(new Error(`VS Code's server ${what}.\n${printed}`));
  // Read to the end: a full pipe would stop the server.
  owned.child.stdout?.on('data', read);
  owned.child.stderr?.on('data', read);
  const timer = setTimeout(() => fail('did not get ready'), readyMs);
  owned.ended.then(
    (code) => fail(`ended with ${code}`),
    (error: unknown) => fail(`did not start: ${String(error)}`),
  );
  return promise.finally(() => clearTimeout(timer));
}

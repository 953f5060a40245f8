import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createAcpAgent } from '../../src/adapters/agents/acp/acp-agent.ts';
import type { AgentTimes } from '../../src/adapters/agents/acp/agent-process.ts';
import type { AcpCommand } from '../../src/contract/agents.ts';
import type { JobErrorCode } from '../../src/contract/errors.ts';
import type { AgentResult, AgentTask } from '../../src/service/ports/agent.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import type { AcpScript, AcpStep } from './acp-steps.ts';
import { temporaryFolder, writeFiles } from './repositories.ts';

const entry = fileURLToPath(new URL('scripted-acp-agent.ts', import.meta.url));

/** The scripted agent as a command of the settings. */
export function scripted(script: AcpScript | readonly AcpStep[], more: Partial<AcpCommand> = {}): AcpCommand {
  const whole: AcpScript = Array.isArray(script)
    ? { steps: script as readonly AcpStep[] }
    : (script as AcpScript);
  return {
    id: 'scripted',
    name: 'Scripted Agent',
    command: process.execPath,
    args: [entry, JSON.stringify(whole)],
    passVariables: [],
    ...more,
  };
}

/** Long enough for a real agent to start on a machine that has much else to do. */
const times: AgentTimes = { startMs: 100_000, graceMs: 500 };

/** A workspace with what lies around it, as a job has it, and what an agent told while it worked in it. */
export class AcpStand implements Disposable {
  readonly #folder = temporaryFolder();
  readonly directory = path.join(this.#folder.path, 'job', 'tree');
  readonly data = path.join(this.#folder.path, 'data');
  readonly home = path.join(this.#folder.path, 'home');
  readonly told: string[] = [];
  readonly abort = new AbortController();
  env: NodeJS.ProcessEnv = { ...process.env };
  readonly #listeners: { readonly pattern: RegExp; readonly resolve: (message: string) => void }[] = [];

  constructor(files: Readonly<Record<string, string>> = { 'docs/a.md': '# A\n' }) {
    for (const folder of [this.directory, this.data, this.home]) mkdirSync(folder, { recursive: true });
    writeFiles(this.directory, files);
    writeFiles(path.dirname(this.directory), { index: 'the index of git' });
  }

  /** Puts the scripted agent on the path under a name, as an installation would. */
  install(name: string, script: AcpScript): void {
    const folder = path.join(this.home, 'bin');
    mkdirSync(folder, { recursive: true });
    const source = [
      `#!${process.execPath}`,
      `process.argv.splice(2, 0, ${JSON.stringify(JSON.stringify(script))});`,
      `await import(${JSON.stringify(pathToFileURL(entry).href)});`,
    ];
    writeFileSync(path.join(folder, name), source.join('\n'), { mode: 0o755 });
    this.env['PATH'] = folder;
  }

  /** The first message that fits, now or later. */
  heard(pattern: RegExp): Promise<string> {
    const found = this.told.find((message) => pattern.test(message));
    if (found !== undefined) return Promise.resolve(found);
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#listeners.push({ pattern, resolve });
    return promise;
  }

  async run(
    command: AcpCommand,
    task: Partial<AgentTask> = {},
    agentTimes: Partial<AgentTimes> = {},
  ): Promise<AgentResult> {
    const agent = createAcpAgent(command, {
      machine: { env: this.env, platform: process.platform, home: this.home },
      folder: this.data,
      redact: (text) => text.replaceAll('hunter2hunter2', '[redacted]'),
      version: '9.9.9',
      times: { ...times, ...agentTimes },
    });
    return agent.run({
      prompt: 'Change the page.',
      earlier: [],
      directory: this.directory,
      docsRoot: 'docs',
      outsideDocsRoot: false,
      signal: this.abort.signal,
      onProgress: (message) => {
        this.told.push(message);
        for (const { pattern, resolve } of this.#listeners) if (pattern.test(message)) resolve(message);
      },
      ...task,
    });
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

/** For `assert.rejects`: an error with this code, whose sentence fits. */
export function refused(code: JobErrorCode, pattern: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentRun } from './agent-environment.ts';
import { noteRunningAgent, type RunningNote } from './left-agents.ts';
import { endTree } from './process-tree.ts';

export interface AgentTimes {
  /** How long it may take until it has answered the first requests, and for closing them. */
  readonly startMs: number;
  /** After its input was closed and after it was asked to end, each. */
  readonly graceMs: number;
}

export const defaultAgentTimes: AgentTimes = {
  // The slowest of the known ones answers after 5 s on a cold disk; ten times that on a busy machine.
  startMs: 60_000,
  // Together with killing it stays below the five seconds that an aborted agent may take to let go.
  graceMs: 1_500,
};

/** Of its standard error; the end of it says why it failed. */
const keptErrorText = 16_384;

/** One running agent. Disposing ends it with everything that it has started. */
export class AgentProcess implements AsyncDisposable {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when it has ended, with how: `exit code 1`, `signal SIGKILL`. Rejects when it could not be started. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #run: AgentRun;
  readonly #times: AgentTimes;
  readonly #note: Promise<RunningNote> | undefined;
  #errorText = '';

  /** @param folder where running agents are written down, see `left-agents.ts` */
  constructor(run: AgentRun, env: NodeJS.ProcessEnv, folder: string, times: AgentTimes) {
    const { program, command, machine, marker } = run;
    const child = spawn(program.file, [...program.args, ...command.args], {
      cwd: run.directory,
      env,
      // A group of its own: ends with what it started, and has no terminal that somebody could be asked on.
      detached: machine.platform !== 'win32',
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#run = run;
    this.#times = times;
    [this.stdin, this.stdout] = [child.stdin, child.stdout];
    const ended = Promise.withResolvers<string>();
    child.on('error', ended.reject);
    child.on('exit', (code, signal) =>
      ended.resolve(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
    this.ended = ended.promise;
    this.ended.catch(ignore);
    // It may end before it has read everything; how it ended says the rest.
    child.stdin.on('error', ignore);
    child.stdout.on('error', ignore);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errorText = (this.#errorText + text).slice(-keptErrorText);
    });
    if (child.pid !== undefined) {
      this.#note = noteRunningAgent(folder, child.pid, marker, machine.platform);
      this.#note.catch(ignore);
    }
  }

  /** What it wrote last on standard error. Untrusted, and may hold secrets. */
  get errorText(): string {
    return this.#errorText;
  }

  /** Whether it ends by itself within the grace time. */
  async endsSoon(): Promise<boolean> {
    const timer = new AbortController();
    const late = pause(this.#times.graceMs, false, { signal: timer.signal }).catch(() => false);
    const ended = this.ended.then(
      () => true,
      () => true,
    );
    const answer = await Promise.race([ended, late]);
    timer.abort();
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined) return;
    const { marker, machine } = this.#run;
    this.stdin.destroy();
    // Its number may be somebody else's when it has ended by itself. Windows takes seconds to tell the start.
    const known = machine.platform === 'win32' ? undefined : await this.#note?.catch(ignore);
    const root = { pid, marker, ...(known && { started: known.started }) };
    await endTree(root, this.#times.graceMs, machine.platform);
    // A descendant that could not be ended keeps the streams open; nobody waits for it.
    this.stdout.destroy();
    this.#child.stderr?.destroy();
    const note = await this.#note?.catch(ignore);
    await note?.[Symbol.asyncDispose]();
  }
}

const ignore = (): void => undefined;

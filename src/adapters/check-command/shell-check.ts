import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { CheckCommand, CheckCommandResult } from '../../service/ports/check-command.ts';
import { durationInWords } from '../../service/duration.ts';
import type { Redactor } from '../../service/redaction.ts';
import { checkEnvironment } from './check-environment.ts';
import { cleanOutput } from './clean-output.ts';

/** Bytes of output that are kept: far more than anybody reads, enough to compare two runs. */
const keptBytes = 256 * 1024;

/** A linter takes seconds on a large project; whoever takes this long builds something or hangs. */
const defaultLimitMs = 5 * 60_000;

/** Pipes that are still open so long after the end belong to somebody who left the process group. */
const lateMs = 1_000;

/**
 * Waits beside the line, in its process group, for the end of the pipe that the service holds open: a service
 * that was killed takes the group with it. Then becomes a shell with the line, which is given as it is.
 */
const withLifeline = '(cat >/dev/null; kill -9 0) <&3 >/dev/null 2>&1 & exec /bin/sh -c "$1" 3<&-';

export interface ShellCheckOptions {
  /** Registered secrets are blanked out in what it wrote. */
  readonly redactor: Pick<Redactor, 'redact'>;
  readonly env: NodeJS.ProcessEnv;
  readonly limitMs?: number;
}

/**
 * Runs the line in the system's own shell, `sh -c` or `cmd /c`: the person has read and allowed exactly this
 * line as one types it in a terminal, with its `&&`, and on Windows the tools of npm are scripts that only a
 * shell starts. Nothing is ever put into the line. The command has a process group of its own, which is killed
 * as a whole at its end, at a cancel and after a time limit.
 */
export class ShellCheck implements CheckCommand {
  readonly #options: ShellCheckOptions;

  constructor(options: ShellCheckOptions) {
    this.#options = options;
  }

  async run(command: string, directory: string, signal: AbortSignal): Promise<CheckCommandResult> {
    signal.throwIfAborted();
    const { env, limitMs = defaultLimitMs, redactor } = this.#options;
    const places = [directory, await realpath(directory)];
    signal.throwIfAborted();
    const child = startShell(command, directory, checkEnvironment(env, process.platform));
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), limitMs);
    const stop = AbortSignal.any([signal, limit.signal]);
    const onStop = (): void => killTree(child);
    stop.addEventListener('abort', onStop, { once: true });
    try {
      const { code, endedBy, output, error } = await ended(child);
      signal.throwIfAborted();
      if (limit.signal.aborted) {
        return { kind: 'broken_off', why: `it took longer than ${durationInWords(limitMs)}.` };
      }
      if (error !== undefined) return { kind: 'broken_off', why: 'it could not be started.' };
      if (endedBy !== null) return { kind: 'broken_off', why: `it was ended by ${endedBy}.` };
      // What `sh` answers when there is no such program, or it may not be run.
      if (code === 127 || code === 126) {
        return { kind: 'broken_off', why: 'its program was not found on this machine.' };
      }
      if (code === 0) return { kind: 'passed' };
      const text = cleanOutput(output, places, os.homedir());
      return { kind: 'failed', exitCode: code ?? -1, output: redactor.redact(text) };
    } finally {
      clearTimeout(timer);
      stop.removeEventListener('abort', onStop);
    }
  }
}

function startShell(command: string, directory: string, env: Record<string, string>): ChildProcess {
  const windows = process.platform === 'win32';
  const { SystemRoot: system = 'C:\\Windows' } = process.env;
  const shell = windows ? path.win32.join(system, 'System32', 'cmd.exe') : '/bin/sh';
  // `/d` keeps out what the registry would run first; `/s` takes the line between the outer quotes as it is.
  const args = windows ? ['/d', '/s', '/c', `"${command}"`] : ['-c', withLifeline, 'sh', command];
  return spawn(shell, args, {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe', ...(windows ? [] : ['pipe' as const])],
    detached: !windows,
    windowsHide: true,
    windowsVerbatimArguments: windows,
  });
}

interface Ended {
  readonly code: number | null;
  readonly endedBy: NodeJS.Signals | null;
  /** Both streams, as they came. */
  readonly output: string;
  readonly error: Error | undefined;
}

/** Settles once the shell is gone, its group is killed, and its output has been read. */
function ended(child: ChildProcess): Promise<Ended> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let error: Error | undefined;
  child.stdio[3]?.on('error', () => undefined);
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      if (bytes < keptBytes) chunks.push(chunk.subarray(0, keptBytes - bytes));
      bytes += chunk.length;
    });
    stream?.on('error', () => undefined);
  }
  const { promise, resolve } = Promise.withResolvers<Ended>();
  let late: NodeJS.Timeout | undefined;
  const settle = (code: number | null, endedBy: NodeJS.Signals | null): void => {
    clearTimeout(late);
    resolve({ code, endedBy, output: Buffer.concat(chunks).toString('utf8'), error });
  };
  child.on('error', (reason) => {
    error = reason;
    if (child.pid === undefined) settle(null, null);
  });
  child.on('exit', (code, endedBy) => {
    // What it left running in its group goes with it. Windows knows no groups, and may give the number to another.
    if (process.platform !== 'win32') killTree(child);
    late = setTimeout(() => {
      for (const stream of child.stdio) stream?.destroy();
      settle(code, endedBy);
    }, lateMs);
  });
  child.on('close', settle);
  return promise;
}

/** Ends the shell with everything that it has started. Somebody who is gone already is fine. */
function killTree({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    execFile('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true }, () => undefined);
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // EPERM is what macOS answers for a group of which only the dead are left.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

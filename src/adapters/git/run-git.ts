import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { Redactor } from '../../service/redaction.ts';
import { ServiceError } from '../../service/service-error.ts';
import {
  type ConfigurationEntry,
  type ConfigurationScope,
  gitEnvironment,
  guardingConfiguration,
} from './environment.ts';
import { missingGit } from './git-version.ts';

export interface GitOptions {
  /** Registered secrets are blanked out in what errors hold. */
  readonly redactor: Redactor;
  /** The process's environment; only what git, its helpers and ssh need is handed on. */
  readonly env: NodeJS.ProcessEnv;
  /** A folder with nothing in it: stands in for hooks and for the home of sealed commands. */
  readonly emptyFolder: string;
  /** Name or path of git; absent: `git` on the path. */
  readonly executable?: string;
}

export interface RunOptions {
  /** Who the command listens to; absent: `sealed`. */
  readonly scope?: ConfigurationScope;
  readonly cwd?: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeLimitMs?: number;
  readonly input?: string | Buffer;
  /** More of git's environment, for example `GIT_INDEX_FILE`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: readonly ConfigurationEntry[];
  /** Exit codes that are an answer and no failure; 0 always is. */
  readonly accept?: readonly number[];
  /** Bytes of output that are kept; going over ends the command. */
  readonly outputLimit?: number;
  /** Counts the output instead of keeping it. */
  readonly countOnly?: boolean;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: string;
  /** Standard output as it came. */
  readonly raw: Buffer;
  readonly stderr: string;
  /** Bytes that came on standard output. */
  readonly bytes: number;
}

/** A local command on the largest docs repositories takes seconds; two minutes is a disk in trouble. */
const localTimeLimitMs = 120_000;
/** One question to a server, answered in milliseconds unless somebody waits for a prompt. */
export const questionTimeLimitMs = 60_000;
/** A first fetch of a repository of some gigabytes over a slow line; a stalled one ends much earlier. */
export const transferTimeLimitMs = 900_000;

const defaultOutputLimit = 64 * 1024 * 1024;
const stderrLimit = 64 * 1024;

/**
 * What a credential helper or ssh leaves running in the background (an agent, a shared connection) may hold git's
 * streams open for hours. After git itself has ended, what it wrote is read within milliseconds.
 */
const leftOpenMs = 1000;

/** Git ended otherwise than it should. The text is redacted; `git-errors.ts` gives it its name. */
export class GitFailure extends Error {
  readonly exitCode: number | undefined;
  readonly stderr: string;
  readonly reason: 'exit' | 'time' | 'output';

  constructor(
    command: string,
    reason: 'exit' | 'time' | 'output',
    exitCode: number | undefined,
    stderr: string,
  ) {
    super(
      `git ${command} ended with ${reason === 'exit' ? `code ${exitCode}` : `too much ${reason}`}: ${stderr}`,
    );
    this.name = 'GitFailure';
    this.reason = reason;
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

/** Runs git, and nothing else does. Knows processes, not repositories. */
export class Git {
  readonly #options: GitOptions;

  constructor(options: GitOptions) {
    this.#options = options;
  }

  /** Throws {@link GitFailure}, the signal's reason, or `git_missing`. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<GitResult> {
    const { env, emptyFolder, executable = 'git', redactor } = this.#options;
    await mkdir(emptyFolder, { recursive: true });
    // After the last wait: a signal that has fired already would never tell the command to end.
    options.signal?.throwIfAborted();
    const cwd = options.cwd ?? emptyFolder;
    const config = [...guardingConfiguration(emptyFolder), ...(options.config ?? [])];
    const command = args.find((arg) => /^[a-z]/.test(arg)) ?? '';
    return new Promise((resolve, reject) => {
      const child = spawn(executable, args, {
        cwd,
        env: { ...gitEnvironment(env, options.scope ?? 'sealed', emptyFolder, config), ...options.env },
        // A group of its own: ends with its helpers, and has no terminal that ssh could ask on.
        detached: process.platform !== 'win32',
        windowsHide: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      let bytes = 0;
      let errBytes = 0;
      let ended: 'time' | 'output' | undefined;
      const timer = setTimeout(() => stop('time'), options.timeLimitMs ?? localTimeLimitMs);
      const letGo = (): void => {
        child.stderr.destroy();
        // Git hands its output to nobody who outlives it, except to those who had to be stopped with it.
        if (ended !== undefined || options.signal?.aborted) child.stdout.destroy();
      };
      let leftOpen: NodeJS.Timeout | undefined;
      child.on('exit', () => {
        // One more look at the streams in between: this process may have been busy, and they may be full.
        leftOpen = setTimeout(() => setImmediate(letGo), leftOpenMs);
      });
      const onAbort = (): void => {
        killTree(child.pid);
        if (leftOpen !== undefined) letGo();
      };
      const stop = (reason: 'time' | 'output'): void => {
        ended ??= reason;
        onAbort();
      };
      options.signal?.addEventListener('abort', onAbort, { once: true });

      child.stdout.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (options.countOnly) return;
        if (bytes > (options.outputLimit ?? defaultOutputLimit)) stop('output');
        else out.push(chunk);
      });
      child.stderr.on('data', (chunk: Buffer) => {
        errBytes += chunk.length;
        if (errBytes <= stderrLimit) err.push(chunk);
      });
      // Git may end before it has read everything; its exit code says the rest.
      child.stdin.on('error', () => {});
      child.stdin.end(options.input ?? '');

      const finish = (): void => {
        clearTimeout(timer);
        clearTimeout(leftOpen);
        options.signal?.removeEventListener('abort', onAbort);
      };
      child.on('error', (error: NodeJS.ErrnoException) => {
        finish();
        reject(startFailure(error, cwd));
      });
      child.on('close', (code) => {
        finish();
        if (options.signal?.aborted) {
          reject(options.signal.reason as Error);
          return;
        }
        const stderr = redactor.redact(Buffer.concat(err).toString('utf8')).trim();
        const exitCode = code ?? -1;
        const fine = exitCode === 0 || options.accept?.includes(exitCode);
        if (ended || !fine) reject(new GitFailure(command, ended ?? 'exit', code ?? undefined, stderr));
        else resolve(result(exitCode, Buffer.concat(out), stderr, bytes));
      });
    });
  }

  /** Standard output without the line break at its end. */
  async line(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return (await this.run(args, options)).stdout.replace(/\r?\n$/, '');
  }

  /** Blanks out secrets in what git wrote. */
  redact(text: string): string {
    return this.#options.redactor.redact(text);
  }
}

function result(exitCode: number, raw: Buffer, stderr: string, bytes: number): GitResult {
  return { exitCode, stdout: raw.toString('utf8'), raw, stderr, bytes };
}

/** A missing folder and a missing program look alike: both are ENOENT. */
function startFailure(error: NodeJS.ErrnoException, cwd: string): ServiceError {
  if (!existsSync(cwd)) {
    return new ServiceError('repository_unavailable', `The folder ${cwd} does not exist.`, { cause: error });
  }
  if (error.code === 'ENOENT') return missingGit(error);
  return new ServiceError(
    'git_missing',
    'Git could not be started. Check that it is installed and may be run.',
    {
      cause: error,
    },
  );
}

/** Ends the process with everything that it has started. Somebody who is gone already is fine. */
function killTree(pid: number | undefined): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on(
      'error',
      () => {},
    );
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A temporary folder that goes with its owner: `using folder = temporaryFolder()`. */
export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

export function temporaryFolder(): TemporaryFolder {
  // The real path: git answers with it where the system's own temporary folder is a link.
  const folder = mkdtempSync(path.join(os.tmpdir(), 'docs-agent-'));
  return {
    path: folder,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Git as a person would run it, apart from the configuration of the machine that runs the tests. */
export function git(cwd: string, ...args: readonly string[]): string {
  return gitWith(cwd, {}, ...args);
}

export function gitWith(
  cwd: string,
  options: { input?: string; env?: NodeJS.ProcessEnv },
  ...args: readonly string[]
): string {
  return execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    input: options.input ?? '',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: cwd,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: os.devNull,
      // Newer versions tidy up in the background, in the middle of a look at what is there.
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'maintenance.auto',
      GIT_CONFIG_VALUE_0: 'false',
      GIT_AUTHOR_NAME: 'Writer',
      GIT_AUTHOR_EMAIL: 'writer@example.org',
      GIT_COMMITTER_NAME: 'Writer',
      GIT_COMMITTER_EMAIL: 'writer@example.org',
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C',
      ...options.env,
    },
  }).replace(/\n$/, '');
}

/** Files by path. A string is text; `undefined` removes the file. */
export type Files = Readonly<Record<string, string | Buffer | undefined>>;

export function writeFiles(directory: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(directory, name);
    if (content === undefined) {
      rmSync(file, { recursive: true, force: true });
      continue;
    }
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** Writes, stages everything and commits. The commit's id. */
export function commitFiles(directory: string, files: Files, message = 'Change'): string {
  writeFiles(directory, files);
  git(directory, 'add', '--all');
  git(directory, 'commit', '--quiet', '--allow-empty', '-m', message);
  return git(directory, 'rev-parse', 'HEAD');
}

export const someDocs: Files = {
  'README.md': '# Sample\n\nHow to log in.\n',
  'docs/index.md': '# Start\n\nLog in first. See [setup](setup.md).\n',
  'docs/setup.md': '# Set-up\n\nTo log in, open the page.\n',
};

/** A repository without a remote, with one commit on `branch`. */
export function repositoryWithoutRemote(parent: string, files: Files = someDocs, branch = 'main'): string {
  const directory = path.join(parent, 'alone');
  mkdirSync(directory, { recursive: true });
  git(directory, 'init', '--quiet', `--initial-branch=${branch}`);
  commitFiles(directory, files, 'First');
  return directory;
}

/** A repository in which nothing was committed yet. */
export function unbornRepository(parent: string): string {
  const directory = path.join(parent, 'unborn');
  mkdirSync(directory, { recursive: true });
  git(directory, 'init', '--quiet', '--initial-branch=main');
  return directory;
}

export function emptyOrigin(parent: string, name = 'origin.git'): string {
  const origin = path.join(parent, name);
  git(parent, 'init', '--quiet', '--bare', '--initial-branch=main', origin);
  return origin;
}

/** A bare `origin` and a clone of it, as a writer has them. */
export function originAndClone(
  parent: string,
  files: Files = someDocs,
  branch = 'main',
): { origin: string; clone: string } {
  const origin = emptyOrigin(parent);
  git(origin, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`);
  const clone = path.join(parent, 'clone');
  git(parent, 'clone', '--quiet', origin, clone);
  git(clone, 'checkout', '--quiet', '-B', branch);
  commitFiles(clone, files, 'First');
  git(clone, 'push', '--quiet', '--set-upstream', 'origin', branch);
  return { origin, clone };
}

/** A second clone: another person at work. */
export function anotherClone(parent: string, origin: string, name = 'colleague'): string {
  const clone = path.join(parent, name);
  git(parent, 'clone', '--quiet', origin, clone);
  return clone;
}

/** Everything that a writer may have lying around: staged, unstaged, untracked, stashed, linked. */
export function makeMessy(clone: string): void {
  git(clone, 'branch', 'side');
  git(clone, 'tag', 'v1');
  writeFiles(clone, { 'README.md': 'stashed\n' });
  git(clone, 'stash', '--quiet');
  writeFiles(clone, { 'staged.md': 'staged\n' });
  git(clone, 'add', 'staged.md');
  writeFiles(clone, { 'README.md': 'not committed\n', 'untracked.md': 'untracked\n' });
  git(clone, 'worktree', 'add', '--quiet', path.join(path.dirname(clone), 'linked'), 'side');
  git(clone, 'config', 'docs.note', 'mine');
}

/**
 * A fingerprint of a repository with its work tree, byte for byte: every file, link, mode and name,
 * inside `.git` too (index, HEAD, refs, logs, stash, configuration, objects). Equal means untouched.
 */
export function snapshotRepository(directory: string): string {
  const lines: string[] = [];
  const walk = (relative: string): void => {
    for (const name of readdirSync(path.join(directory, relative)).sort()) {
      const inside = path.join(relative, name);
      const file = path.join(directory, inside);
      const stat = lstatSync(file);
      if (stat.isDirectory()) {
        lines.push(`directory ${inside}`);
        walk(inside);
      } else if (stat.isSymbolicLink()) lines.push(`link ${inside} ${readlinkSync(file)}`);
      else {
        const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
        lines.push(`file ${inside} ${stat.mode.toString(8)} ${stat.mtimeMs} ${hash}`);
      }
    }
  };
  walk('.');
  return lines.join('\n');
}

/** A hook that is a shell script; the folder of hooks is made when there is none. */
export function installHook(gitDir: string, name: string, script: string): void {
  const file = path.join(gitDir, 'hooks', name);
  writeFiles(gitDir, { [`hooks/${name}`]: `#!/bin/sh\n${script}\n` });
  chmodSync(file, 0o755);
}

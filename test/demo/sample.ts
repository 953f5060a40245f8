import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const pages = path.join(import.meta.dirname, 'fixtures', 'docs-site');

export interface Sample {
  /** The writer's checkout. */
  readonly checkout: string;
  /** The bare repository that it was pushed to. */
  readonly origin: string;
}

/**
 * Makes the sample docs project in `folder`: a git checkout and the bare repository it came from. One
 * that is there already is left as it is, with whatever was changed in it; to start afresh, delete it.
 */
export async function makeSample(folder: string): Promise<Sample & { readonly isNew: boolean }> {
  const sample = { checkout: path.join(folder, 'docs-site'), origin: path.join(folder, 'docs-site.git') };
  if (existsSync(sample.checkout)) return { ...sample, isNew: false };
  // Without its checkout the bare repository is half a sample.
  await rm(sample.origin, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const staging = path.join(folder, `making-${process.pid}`);
  try {
    await cp(pages, staging, { recursive: true });
    await git(staging, 'init', '--quiet', '--initial-branch=main');
    await git(staging, 'add', '--all');
    await git(staging, 'commit', '--quiet', '--message=Write the documentation of Tidewater');
    await git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', sample.origin);
    await git(staging, 'remote', 'add', 'origin', sample.origin);
    await git(staging, 'push', '--quiet', '--set-upstream', 'origin', 'main');
    await rename(staging, sample.checkout);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return { ...sample, isNew: true };
}

/** Runs git in a folder and gives its output, on any machine the same: no settings, hooks or prompts of the user. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, {
    cwd: folder,
    env: gitEnvironment(),
    maxBuffer: 1e8,
  });
  return stdout.trimEnd();
}

function gitEnvironment(): NodeJS.ProcessEnv {
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const nowhere = process.platform === 'win32' ? 'NUL' : '/dev/null';
  const person = { NAME: 'Ada Writer', EMAIL: 'ada@example.com', DATE: '2026-01-05T09:00:00Z' };
  const identity = ['AUTHOR', 'COMMITTER'].flatMap((role) =>
    Object.entries(person).map(([key, value]) => [`GIT_${role}_${key}`, value] as const),
  );
  return {
    ...Object.fromEntries([...outside, ...identity]),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: nowhere,
    GIT_TERMINAL_PROMPT: '0',
  };
}

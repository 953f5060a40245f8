import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { homeVariable, serviceFolders } from '../../src/contract/local-service.ts';
import { git } from './sample.ts';

export interface Branch {
  readonly name: string;
  readonly commit: string;
  /** A repository that holds the branch and its base. */
  readonly repository: string;
  /** The branch that the change is for, as that repository names it. */
  readonly base: string;
}

/**
 * The branches where a job's work ends: at the origin when it is a folder, else in the service's mirrors,
 * which hold what was pushed to another host, and the work for a repository without a remote.
 */
export async function jobBranches(checkout: string, home: string): Promise<Branch[]> {
  const origin = await git(checkout, 'remote', 'get-url', 'origin').catch(() => '');
  const repositories = existsSync(origin) ? [origin] : await mirrors(home);
  const all = await Promise.all(repositories.map(branchesOf));
  return all.flat();
}

async function mirrors(home: string): Promise<string[]> {
  const { data, cache } = serviceFolders(process.platform, { [homeVariable]: home }, os.homedir());
  const found = await Promise.all(
    [data, cache].map((folder) => readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])),
  );
  const heads = found.flat().filter((entry) => entry.isFile() && entry.name === 'HEAD');
  return heads.map((entry) => entry.parentPath).filter((folder) => existsSync(path.join(folder, 'objects')));
}

async function branchesOf(repository: string): Promise<Branch[]> {
  const refs = async (format: string, below: string): Promise<string[]> =>
    (await git(repository, 'for-each-ref', `--format=${format}`, below)).split('\n').filter(Boolean);
  // A mirror keeps the branches that changes are for apart from those of the jobs.
  const [mirrored] = await refs('%(refname)', 'refs/base');
  const base = mirrored ?? (await git(repository, 'symbolic-ref', 'HEAD'));
  const lines = await refs('%(refname:short) %(objectname)', 'refs/heads');
  return lines.map((line) => {
    const [name = '', commit = ''] = line.split(' ');
    return { name, commit, repository, base };
  });
}

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Project } from '../../contract/project.ts';
import { parseRemoteUrl, type RemoteUrl } from '../../service/remote-url.ts';
import { ServiceError } from '../../service/service-error.ts';
import { normaliseDocsRoot } from './docs-root.ts';
import type { GitCredentials } from './git-credentials.ts';
import { type PersonSettings, readPersonSettings } from './person-settings.ts';
import { type Git, GitFailure } from './run-git.ts';

/** The repository of a project on this machine. Read only. */
export interface LocalRepository {
  /** Absolute path of the git directory that holds objects and refs, also of a linked work tree. */
  readonly gitDir: string;
  /** Top folder of the work tree; undefined for a bare repository. */
  readonly checkout: string | undefined;
  readonly remoteName: string | undefined;
  /** All history is here: neither shallow nor partial. */
  readonly complete: boolean;
  readonly objectFormat: string;
  readonly person: PersonSettings;
}

/** Where a project's repository is, found without the network. */
export interface Location {
  readonly projectId: string;
  readonly local: LocalRepository | undefined;
  readonly remote: RemoteUrl | undefined;
  readonly displayUrl: string;
  readonly docsRoot: string;
}

/** Throws `repository_unavailable` with what is wrong with the folder or the address. */
export async function locate(
  git: Git,
  credentials: Pick<GitCredentials, 'remember' | 'listenTo'>,
  project: Project,
  signal?: AbortSignal,
): Promise<Location> {
  const { id: projectId, repository } = project;
  if (!path.isAbsolute(repository)) {
    const remote = readRemote(await rewritten(git, repository, signal), projectId, credentials);
    // What is no address at all is no path of ours to guess; an `insteadOf` may well name a folder.
    if (remote.kind === 'file' && !/^file:/i.test(remote.url) && !path.isAbsolute(remote.url)) {
      throw unavailable('The project needs the full path of a folder, or the URL of a repository.');
    }
    credentials.listenTo(undefined, projectId);
    const docsRoot = normaliseDocsRoot(project.docsRoot ?? '');
    return { projectId, local: undefined, remote, displayUrl: remote.url, docsRoot };
  }
  const { prefix, ...local } = await readLocal(git, repository, signal);
  credentials.listenTo(local.person.credentials, projectId);
  const docsRoot = normaliseDocsRoot(project.docsRoot ?? prefix);
  const found = await remoteAddress(git, local, repository, signal);
  const remote = found === undefined ? undefined : readRemote(found, projectId, credentials);
  return { projectId, local, remote, displayUrl: remote?.url ?? local.checkout ?? local.gitDir, docsRoot };
}

function readRemote(
  text: string,
  projectId: string,
  credentials: Pick<GitCredentials, 'remember'>,
): RemoteUrl {
  const remote = parseRemoteUrl(text);
  if (!remote) {
    throw unavailable("The repository's remote uses a way of access that is not allowed. Use https or ssh.");
  }
  if (remote.kind === 'http') credentials.remember(remote, projectId);
  return remote;
}

async function readLocal(
  git: Git,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<LocalRepository & { prefix: string }> {
  const options = { cwd: folder, scope: 'user', signal } as const;
  // A file, a device and a name that is too long each fail in another way when git is started there.
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw unavailable(`The folder ${folder.slice(0, 300)} does not exist.`);
  try {
    const facts = await git.line(
      [
        'rev-parse',
        '--path-format=absolute',
        '--is-bare-repository',
        '--is-inside-work-tree',
        '--is-shallow-repository',
        '--show-object-format',
        '--git-common-dir',
      ],
      options,
    );
    const [bare, inside, shallow, objectFormat = 'sha1', gitDir = ''] = facts.split(/\r?\n/);
    if (bare !== 'true' && inside !== 'true') {
      throw unavailable(`The folder ${folder} belongs to git itself. Open the folder of the docs.`);
    }
    const tree = bare === 'true' ? '' : await git.line(['rev-parse', '--show-toplevel'], options);
    const prefix = bare === 'true' ? '' : await git.line(['rev-parse', '--show-prefix'], options);
    const promisor = await git.line(
      ['config', '--get-regexp', '^(remote\\..*\\.promisor|extensions\\.partialclone)$'],
      { ...options, accept: [1] },
    );
    const remoteName = await chooseRemote(git, folder, signal);
    return {
      gitDir: path.normalize(gitDir),
      checkout: tree === '' ? undefined : path.normalize(tree),
      remoteName,
      complete: shallow === 'false' && promisor === '',
      objectFormat,
      person: await readPersonSettings(git, folder, signal),
      prefix,
    };
  } catch (error) {
    if (error instanceof GitFailure && /not a git repository/i.test(error.stderr)) {
      throw unavailable(
        `The folder ${folder} is not in a git repository. Run "git init" in it and commit, or open another folder.`,
        error,
      );
    }
    throw error;
  }
}

/** `origin`, or the only one, or the one that the current branch follows. */
async function chooseRemote(
  git: Git,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const options = { cwd: folder, scope: 'user', signal } as const;
  const names = (await git.line(['remote'], options)).split(/\r?\n/).filter((name) => name !== '');
  if (names.length <= 1) return names[0];
  if (names.includes('origin')) return 'origin';
  const branch = await git.line(['symbolic-ref', '--quiet', '--short', 'HEAD'], { ...options, accept: [1] });
  const key = `branch.${branch}.remote`;
  const followed = branch && (await git.line(['config', '--get', key], { ...options, accept: [1] }));
  if (followed && names.includes(followed)) return followed;
  throw unavailable(
    `The repository has several remotes (${names.join(', ')}) and none is named origin. Name the one for jobs origin.`,
  );
}

/** An address as git would use it: after the person's `url.….insteadOf`. What is refused is not shown to git. */
async function rewritten(git: Git, address: string, signal: AbortSignal | undefined): Promise<string> {
  const remote = parseRemoteUrl(address);
  if (remote === undefined || remote.kind === 'file') return address;
  return git.line(['ls-remote', '--get-url', '--', address], { scope: 'user', signal });
}

/** As git would use it: after the person's `url.….insteadOf`; a relative path counts from the work tree. */
async function remoteAddress(
  git: Git,
  local: LocalRepository,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { remoteName } = local;
  if (remoteName === undefined) return undefined;
  const options = { cwd: folder, scope: 'user', signal } as const;
  const address = await git.line(['remote', 'get-url', '--', remoteName], options);
  const remote = parseRemoteUrl(address);
  if (remote?.kind !== 'file') return address;
  if (/^file:/i.test(address)) return fileURLToPath(address);
  return path.resolve(local.checkout ?? local.gitDir, address);
}

function unavailable(message: string, cause?: unknown): ServiceError {
  return new ServiceError('repository_unavailable', message, { cause });
}

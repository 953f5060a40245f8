import { ServiceError } from '../../service/service-error.ts';
import { translateGitError } from './git-errors.ts';
import type { LocalRepository, Location } from './locate.ts';
import type { RemoteAccess } from './remote-access.ts';
import { type Git, questionTimeLimitMs } from './run-git.ts';

const usualNames = ['main', 'master', 'trunk', 'develop'];

/**
 * The branch that jobs start from when nobody has set one. Throws `repository_empty` and
 * `base_branch_missing`.
 */
export async function defaultBranch(
  git: Git,
  access: RemoteAccess,
  location: Location,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { local, remote, projectId } = location;
  if (!remote) {
    if (local) return localDefault(git, local, signal);
    throw new ServiceError('repository_unavailable', 'The project names no repository.');
  }
  try {
    const args = ['ls-remote', '--symref', '--', remote.url, 'HEAD', 'refs/heads/*'];
    const options = { signal, timeLimitMs: questionTimeLimitMs };
    const sshCommand = local?.person.sshCommand;
    const { stdout } = await access.run({ remote, projectId, sshCommand }, args, options);
    return chooseRemoteBranch(stdout, local && (await trackedHead(git, local, signal)));
  } catch (error) {
    const translated = translateGitError(error);
    if (translated instanceof ServiceError && translated.retryable && local) {
      const known = await trackedHead(git, local, signal);
      if (known !== undefined) return known;
    }
    throw translated;
  }
}

/** HEAD of the remote; when it points nowhere, as in many a bare repository, what is most likely meant. */
function chooseRemoteBranch(listing: string, tracked: string | undefined): string {
  const branches = new Map<string, string>();
  let headId: string | undefined;
  for (const line of listing.split(/\r?\n/)) {
    const [value = '', name = ''] = line.split('\t');
    if (name === 'HEAD' && value.startsWith('ref: refs/heads/')) {
      return value.slice('ref: refs/heads/'.length);
    }
    if (name === 'HEAD') headId = value;
    else if (name.startsWith('refs/heads/')) branches.set(name.slice('refs/heads/'.length), value);
  }
  if (branches.size === 0) throw emptyRepository();
  const [only] = branches.keys();
  if (branches.size === 1 && only !== undefined) return only;
  const sameAsHead = [...branches].filter(([, id]) => id === headId).map(([name]) => name);
  const names = sameAsHead.length > 0 ? sameAsHead : [...branches.keys()];
  const chosen =
    names.find((name) => name === tracked) ??
    usualNames.find((name) => names.includes(name)) ??
    sameAsHead[0];
  if (chosen === undefined) throw unclearBranch();
  return chosen;
}

/** What the clone remembers of its remote's HEAD. */
async function trackedHead(
  git: Git,
  { gitDir, remoteName }: LocalRepository,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (remoteName === undefined) return undefined;
  const ref = `refs/remotes/${remoteName}/HEAD`;
  const args = [`--git-dir=${gitDir}`, 'symbolic-ref', '--quiet', ref];
  const target = await git.line(args, { scope: 'user', signal, accept: [1, 128] });
  const prefix = `refs/remotes/${remoteName}/`;
  return target.startsWith(prefix) ? target.slice(prefix.length) : undefined;
}

async function localDefault(
  git: Git,
  { gitDir, checkout }: LocalRepository,
  signal: AbortSignal | undefined,
): Promise<string> {
  const options = { scope: 'user', signal } as const;
  const inside = [`--git-dir=${gitDir}`];
  const list = await git.line([...inside, 'for-each-ref', '--format=%(refname)', 'refs/heads'], options);
  const names = list
    .split(/\r?\n/)
    .filter((name) => name !== '')
    .map((name) => name.slice('refs/heads/'.length));
  if (names.length === 0) throw emptyRepository();
  const configured = await git.line([...inside, 'config', '--get', 'init.defaultBranch'], {
    ...options,
    accept: [1],
  });
  const current = await git.line(['symbolic-ref', '--quiet', '--short', 'HEAD'], {
    ...options,
    cwd: checkout ?? gitDir,
    accept: [1],
  });
  const wanted = [configured, 'main', 'master', current];
  const chosen = wanted.find((name) => names.includes(name)) ?? (names.length === 1 ? names[0] : undefined);
  if (chosen === undefined) throw unclearBranch();
  return chosen;
}

function emptyRepository(): ServiceError {
  return new ServiceError(
    'repository_empty',
    'The repository has no commit yet. Commit the docs (and push them where there is a remote), then try again.',
  );
}

function unclearBranch(): ServiceError {
  return new ServiceError(
    'base_branch_missing',
    'The repository does not tell which of its branches is the main one. Name it in the settings of the project.',
  );
}

import type { JobErrorCode } from '../../contract/errors.ts';
import { foreignCommits } from '../../service/foreign-commits.ts';
import { hostWords } from '../../service/host-words.ts';
import { ServiceError } from '../../service/service-error.ts';
import { GitFailure } from './run-git.ts';

interface Translation {
  readonly pattern: RegExp;
  readonly code: JobErrorCode;
  readonly retryable?: true;
  /** Of the match's words, where the host says in them what only its owners know. */
  readonly sentence: string | ((words: string) => string);
}

/**
 * What git and the hosts behind it write, and what it means for a writer. The first match counts, so
 * the particular stands before the general: a refused push also says "failed to push some refs".
 */
const translations: readonly Translation[] = [
  {
    pattern: /dubious ownership|unsafe repository/i,
    code: 'repository_unavailable',
    sentence:
      'Git refuses this repository because its folder belongs to another user. Open it as its owner, or add it to git\'s "safe.directory".',
  },
  {
    pattern: /enabled or enforced SAML SSO/i,
    code: 'authentication_failed',
    sentence:
      'The organisation wants the sign-in to be authorised for its single sign-on. Do that in the settings of the token at GitHub ("Configure SSO").',
  },
  {
    pattern: /push cannot contain secrets/i,
    code: 'push_rejected',
    sentence:
      'GitHub has found something like a password or key in the change (GH013) and refuses the push. Have it written as a placeholder.',
  },
  {
    // Of GitLab and Azure DevOps.
    pattern: /PUSH BLOCKED: Secrets detected|VS403654/i,
    code: 'push_rejected',
    sentence:
      'The host has found something like a password or key in the change and refuses the push. Have it written as a placeholder.',
  },
  {
    // What hosts print on their side of a push when it is they who fail.
    pattern:
      /GitLab: .*(?:internal API|API is not accessible|temporarily|try again)|Internal Server Error|fatal error in commit_refs|TF400898|TF400733|TF401028/i,
    code: 'network',
    retryable: true,
    sentence: 'The host of the repository has trouble at the moment. Try again later.',
  },
  {
    pattern: /GH007|publish a private email address/i,
    code: 'push_rejected',
    sentence:
      'GitHub refuses the push because its author address is private (GH007). Set the author to the address that GitHub gives for it.',
  },
  {
    pattern: /GH001|exceeds GitHub's file size limit/i,
    code: 'push_rejected',
    sentence: 'GitHub refuses the push because a file is too large (GH001). Keep such files elsewhere.',
  },
  {
    pattern: /GH013|repository rule violations/i,
    code: 'push_rejected',
    sentence: "A rule of the repository (GH013) refuses the push. Ask its owner to allow the job's branches.",
  },
  {
    pattern: /GH003|force-pushing to this/i,
    code: 'push_rejected',
    sentence: 'The host refuses the push as a forced one (GH003). The branch there has other commits.',
  },
  {
    // Of GitHub, Gitea and the two Bitbuckets.
    pattern:
      /GH006|protected branch hook declined|protected branch update failed|not allowed to push to protected branch|can only be modified through pull requests|permission denied to (?:create|update) branch/i,
    code: 'push_rejected',
    sentence:
      "The branch is protected at the host. Ask the repository's owner to allow it, or choose another prefix.",
  },
  {
    pattern: /refusing to allow .* to create or update workflow/i,
    code: 'permission_denied',
    sentence:
      'The token may not change workflow files. Give it the "workflow" permission or leave these files alone.',
  },
  {
    pattern:
      /(?:repository|project).*(?:was|is) archived|archived so it is read-only|archived (?:project|repository)/i,
    code: 'permission_denied',
    sentence: 'The repository is archived, so nothing can be pushed to it.',
  },
  {
    pattern: /GitLab: You are not allowed to push code to this project/i,
    code: 'permission_denied',
    sentence: 'The GitLab account may not push to this project. Ask its owner for the role Developer.',
  },
  {
    pattern: /GitLab: .*protected branch/i,
    code: 'push_rejected',
    sentence:
      "The branch is protected at the host. Ask the repository's owner to allow it, or choose another prefix.",
  },
  {
    pattern:
      /can only push your own commits|GitLab: You can(?:not| only) push commits|GitLab: (?:Author|Committer) .* is not a member/i,
    code: 'push_rejected',
    sentence: 'The host accepts only commits of the account that pushes. Set the author to that account.',
  },
  {
    // The words may stand on the next line.
    pattern: /GitLab:[^\S\n]*(?:\n(?:remote:)?[^\S\n]*)*(\S.*)/i,
    code: 'push_rejected',
    sentence: (words) =>
      `A push rule of the GitLab project refuses the commit: ${words}. Ask the project's owner to allow it.`,
  },
  {
    pattern: /TF402455|pushes to this branch are not permitted/i,
    code: 'push_rejected',
    sentence:
      'A policy of Azure DevOps protects branches of this name. Ask its owner to allow it, or choose another prefix.',
  },
  {
    pattern: /TF401019/,
    code: 'repository_unavailable',
    sentence: 'Azure DevOps knows no such repository, or the account may not see it.',
  },
  {
    pattern: /TF401027/,
    code: 'permission_denied',
    sentence:
      'Azure DevOps refuses the push: the account may not contribute to this repository. Ask its owner for the permission "Contribute".',
  },
  {
    pattern: /TF400813/,
    code: 'authentication_failed',
    sentence: 'Azure DevOps does not accept the sign-in for this organization. Renew it and try again.',
  },
  {
    pattern: /((?:TF|VS)\d{6}: .*)/,
    code: 'push_rejected',
    sentence: (words) => `Azure DevOps refuses the push: ${words}. Ask the repository's owner.`,
  },
  {
    pattern:
      /'refs\/heads\/[^']*' exists; cannot create|directory file conflict|refname conflict|D\/F conflict/i,
    code: 'push_rejected',
    sentence:
      "A branch with the name of the job's prefix is in the way. Rename it, or choose another prefix.",
  },
  {
    // With the first of the host's words that is not about progress.
    pattern:
      /(?:^remote:[^\S\n]+(?!Resolving|Processing|Counting|Compressing|Enumerating)(.*\p{L}{3}.*)\n[^]*?)?hook declined/imu,
    code: 'push_rejected',
    sentence: (words) =>
      `A rule at the host refused the push${words === '' ? '' : `: ${words}`}. Ask the repository's owner to allow the job's branches.`,
  },
  {
    pattern:
      /non-fast-forward|fetch first|stale info|\[rejected\]|incorrect old value provided|but expected [0-9a-f]{40}/i,
    code: 'push_rejected',
    sentence: foreignCommits,
  },
  {
    pattern:
      /cannot lock ref|unable to (?:create|write) .*\.lock|Unable to create .*lock|failed to update ref/i,
    code: 'network',
    retryable: true,
    sentence: 'Another process was changing the same repository. Try again in a moment.',
  },
  {
    pattern: /Permission denied \((?:publickey|keyboard|password)/i,
    code: 'authentication_failed',
    sentence:
      'The host of the repository did not accept your ssh key. Load it with "ssh-add" in a terminal, where "git fetch" has to work without a question.',
  },
  {
    pattern: /Host key verification failed/i,
    code: 'authentication_failed',
    sentence:
      'The host of the repository is not known to ssh yet. Connect once with "git fetch" in a terminal.',
  },
  {
    pattern:
      /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|returned error: 401|invalid credentials/i,
    code: 'authentication_failed',
    sentence:
      'The host of the repository did not accept the sign-in. Sign in again, or give the service a token.',
  },
  {
    pattern:
      /returned error: 403|(?:Permission|Write access) to .* (?:denied|not granted)|access denied|Write access to repository not granted/i,
    code: 'permission_denied',
    sentence: 'The account that git uses may not do this in the repository. Ask its owner for write access.',
  },
  {
    pattern: /returned error: (?:429|5\d\d)|RPC failed; HTTP (?:429|5\d\d)/i,
    code: 'network',
    retryable: true,
    sentence: 'The host of the repository has trouble at the moment. Try again later.',
  },
  {
    pattern: /returned error: 30\d|update url base from redirection/i,
    code: 'repository_unavailable',
    sentence: 'The repository has moved to another address. Set the new one with "git remote set-url".',
  },
  {
    // A page for people, of a network that wants a sign-in or of a proxy, comes with a good status.
    pattern:
      /info\/refs not valid: is this a git repository|git-http-push failed|protocol error: bad line length|invalid server response; got|expected (?:service|flush)[^\n]*, got/i,
    code: 'network',
    retryable: true,
    sentence:
      'Something other than git answered at the address of the repository, for example the sign-in page of a network. Check the connection and the address, then try again.',
  },
  {
    pattern:
      /Could not resolve (?:host|proxy)|Failed to connect|Connection (?:refused|reset|timed out|closed)|Operation timed out|timed out|early EOF|unexpected disconnect|hung up unexpectedly|Operation too slow|Network is unreachable|No route to host|Temporary failure in name resolution|Could not connect|Empty reply from server|Recv failure|Send failure|HTTP\/2 stream/i,
    code: 'network',
    retryable: true,
    sentence: 'The host of the repository could not be reached. Check the connection and try again.',
  },
  {
    pattern: /SSL certificate|certificate verif|unable to get local issuer|self.signed certificate/i,
    code: 'network',
    sentence:
      'The certificate of the host is not trusted by git. Set "http.sslCAInfo" in your git configuration.',
  },
  {
    pattern: /transport '[^']*' not allowed|Unable to find remote helper|remote helper/i,
    code: 'repository_unavailable',
    sentence: "The repository's remote uses a way of access that is not allowed. Use https or ssh.",
  },
  {
    pattern: /couldn't find remote ref|Remote branch .* not found|Needed a single revision/i,
    code: 'base_branch_missing',
    sentence: 'The branch that jobs start from does not exist. Choose another one in the settings.',
  },
  {
    pattern:
      /repository .*not found|does not appear to be a git repository|not a git repository|Could not read from remote repository|No such file or directory|returned error: 404|project you were looking for could not be found|does not exist/i,
    code: 'repository_unavailable',
    sentence: 'The repository was not found, or the account that git uses may not see it.',
  },
  {
    pattern: /No space left on device|Disk quota exceeded|not enough (?:disk )?space/i,
    code: 'repository_unavailable',
    retryable: true,
    sentence: 'The disk is full. Make some room and try again.',
  },
  {
    pattern: /invalid path '/i,
    code: 'repository_unavailable',
    sentence: 'The repository has a file name that this system cannot hold.',
  },
  {
    pattern: /cannot use bare repository/i,
    code: 'repository_unavailable',
    sentence:
      'Your git configuration refuses bare repositories ("safe.bareRepository"). Give the project a clone, or the address of the repository.',
  },
  {
    pattern: /error: (.+): can only add regular files/,
    code: 'protected_path',
    sentence: (words) => `The change makes ${words} something that is no file, which Docs Agent does not do.`,
  },
];

/** In characters: a rule's name and its pattern. */
const maxHostWords = 200;

/** Git's failure as an error of the service; every other error as it is. */
export function translateGitError(error: unknown): unknown {
  if (!(error instanceof GitFailure)) return error;
  if (error.reason === 'time') {
    const message =
      'Git took too long and was stopped. Check the connection to the repository and try again.';
    return new ServiceError('network', message, { retryable: true, cause: error });
  }
  if (error.reason === 'output') {
    return new ServiceError('change_too_large', 'The change is too large to be read.', { cause: error });
  }
  for (const { pattern, code, retryable = false, sentence } of translations) {
    const match = pattern.exec(error.stderr);
    if (match === null) continue;
    const message =
      typeof sentence === 'string'
        ? sentence
        : sentence(hostWords(match[1] ?? '', maxHostWords).replace(/\.$/, ''));
    return new ServiceError(code, message, { retryable, cause: error });
  }
  return new ServiceError('internal', 'Git could not do its part of the job. The log says more.', {
    cause: error,
  });
}

/** Runs git work at the edge of this folder, so that what leaves it has a name. */
export async function named<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw translateGitError(error);
  }
}

/** A lock of another process that will be gone in a moment. */
export function isLockConflict(error: unknown): boolean {
  return (
    error instanceof GitFailure && /cannot lock ref|\.lock|but expected [0-9a-f]{40}/i.test(error.stderr)
  );
}

/** The mirror itself is broken, for example by a power cut. What the other side says of itself does not count. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof GitFailure)) return false;
  const own = error.stderr.replace(/^remote: .*$/gm, '');
  return /object file .* is empty|loose object .* is corrupt|bad (?:object|tree object|pack)|inflate|packfile .* (?:cannot|is|does not)|not a git repository: '|unable to read tree|failed to read object|unresolved deltas|invalid sha1 pointer|badly formatted/i.test(
    own,
  );
}

/** How the other side names objects, when that is another way than ours. */
export function otherObjectFormat(error: unknown): string | undefined {
  if (!(error instanceof GitFailure)) return undefined;
  return /mismatched algorithms: client \w+; server (sha1|sha256)/i.exec(error.stderr)?.[1];
}

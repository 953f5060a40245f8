import path from 'node:path';
import type { Project, ProjectRequest, PullRequestExtras } from '../contract/project.ts';
import { RequestError } from './request-error.ts';

/** `user@host:path`, the short form that git has for SSH. A drive letter is not a host. */
const sshShortForm = /^(?:[\w.-]+@)?[\w.-]{2,}:(?!\/\/)\S+$/;

/**
 * Reads a project's description. The text comes from outside and later reaches git, so everything that git
 * could take for an option, a helper program or a way out of the repository is refused here.
 */
export function projectOf(id: string, request: ProjectRequest): Project {
  const { repository, baseBranch, docsRoot, pullRequest, allowedCheck } = request;
  refuseControlCharacters(repository, baseBranch, docsRoot, allowedCheck);
  checkRepository(repository);
  if (baseBranch !== undefined) checkBranch(baseBranch);
  const root = docsRoot === undefined ? '' : cleanDocsRoot(docsRoot);
  return {
    id,
    repository,
    ...(baseBranch !== undefined && { baseBranch }),
    ...(root !== '' && { docsRoot: root }),
    ...(pullRequest !== undefined && { pullRequest: cleanExtras(pullRequest) }),
    // Word for word: it counts only when it is the same as what the repository names.
    ...(allowedCheck !== undefined && { allowedCheck }),
  };
}

function refuse(message: string): never {
  throw new RequestError('invalid_request', message);
}

function refuseControlCharacters(...texts: (string | undefined)[]): void {
  for (const text of texts) {
    if (text !== undefined && /\p{Cc}/u.test(text))
      refuse('The project holds a control character. Remove it.');
  }
}

/** They become parts of requests to a code host, one by one. */
function cleanExtras({ draft, labels, reviewers }: PullRequestExtras): PullRequestExtras {
  return {
    ...(draft !== undefined && { draft }),
    ...(labels !== undefined && { labels: cleanNames(labels) }),
    ...(reviewers !== undefined && { reviewers: cleanNames(reviewers) }),
  };
}

function cleanNames(names: readonly string[]): string[] {
  refuseControlCharacters(...names);
  return [...new Set(names.map((name) => name.trim()))].filter((name) => name !== '');
}

function checkRepository(repository: string): void {
  if (path.isAbsolute(repository)) return;
  if (repository.startsWith('-')) refuse('The repository must be an absolute path or a URL.');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(repository)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    // `ext::command` and its like run programs.
    if (!repository.includes('::') && sshShortForm.test(repository)) return;
    refuse('The repository must be an absolute path or a URL.');
  }
  if (!['https', 'http', 'ssh', 'file'].includes(scheme)) {
    refuse('The repository URL must begin with https://, http://, ssh:// or file://.');
  }
  if (!URL.canParse(repository)) refuse('The repository URL cannot be read. Check it.');
  const url = new URL(repository);
  if (url.hostname.startsWith('-')) refuse('The repository URL cannot be read. Check it.');
  if (url.password !== '' || (scheme !== 'ssh' && url.username !== '')) {
    refuse('The repository URL holds a user name or password. Remove it: credentials are found elsewhere.');
  }
}

/** The rules of `git check-ref-format`, as far as they concern one branch name. */
function checkBranch(branch: string): void {
  const parts = branch.split('/');
  const bad =
    branch.startsWith('-') ||
    /[\s~^:?*[\\]|\.\.|@\{/.test(branch) ||
    branch === '@' ||
    branch.endsWith('.') ||
    parts.some((part) => part === '' || part.startsWith('.') || part.endsWith('.lock'));
  if (bad) refuse('The base branch is not a name that git allows.');
}

function cleanDocsRoot(docsRoot: string): string {
  const parts = docsRoot.split('/').filter((part) => part !== '' && part !== '.');
  const outside = docsRoot.startsWith('/') || docsRoot.includes('\\') || /^[a-z]:/i.test(docsRoot);
  if (outside || parts.includes('..') || parts.some((part) => part.toLowerCase() === '.git')) {
    refuse('The docs folder must be a folder inside the repository, written with forward slashes.');
  }
  return parts.join('/');
}

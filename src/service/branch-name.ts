/** Beyond it, hosts and file systems begin to complain: a ref is a file path below `.git/refs/heads`. */
const maxLength = 100;
const maxSlug = 40;
/** 60 bits of the job id's random end: no two jobs meet. */
const idLength = 12;

/** Where jobs' branches begin unless configured otherwise. */
export const defaultBranchPrefix = 'docs-agent/';

export interface BranchParts {
  readonly prefix: string;
  readonly title: string;
  readonly jobId: string;
  /** From 1; later ones are told by a suffix. */
  readonly round: number;
}

/** The branch of a job: the same parts always give the same name, and git and every host accept it. */
export function branchName({ prefix, title, jobId, round }: BranchParts): string {
  const id = slug(jobId).slice(-idLength).replace(/^-+/, '');
  const end = `${id}${round > 1 ? `-${round}` : ''}`;
  const words = cutWords(slug(title), maxSlug) || 'change';
  const start = cleanPrefix(prefix).slice(0, maxLength - words.length - end.length - 1);
  return `${start}${words}-${end}`;
}

/**
 * The names that must not be branches for this one to be possible: git keeps refs as files, so beside a
 * branch `docs-agent` there is no room for `docs-agent/x`.
 */
export function namesInTheWay(branch: string): string[] {
  const parts = branch.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** The same branch without folders, for when one of those names is taken. */
export function flatBranchName(branch: string): string {
  return branch.replaceAll('/', '-');
}

function slug(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

function cutWords(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  const dash = text[length] === '-' ? length : cut.lastIndexOf('-');
  return dash > 0 ? cut.slice(0, dash) : cut;
}

/** What `git check-ref-format` refuses is dropped, part by part. */
function cleanPrefix(prefix: string): string {
  const parts = prefix
    .replace(/[^A-Za-z0-9._/-]+/g, '-')
    .split('/')
    .map((part) =>
      part
        .replace(/\.{2,}/g, '.')
        .replace(/^[.-]+/, '')
        .replace(/(?:\.lock|\.)+$/, ''),
    );
  const last = parts.pop() ?? '';
  return [...parts.filter((part) => part !== ''), last].join('/').replace(/^\/+/, '');
}

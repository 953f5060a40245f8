import { createHash } from 'node:crypto';

/**
 * The local service's id of a docs project: the same for the same folder, in every window. Other folders
 * of the same name have another hash. `caseSensitive` is false where paths that differ in case are the same.
 */
export function localProjectId(folder: string, caseSensitive: boolean): string {
  const path = folder.replaceAll('\\', '/').replace(/\/+$/, '');
  const normal = caseSensitive ? path : path.toLowerCase();
  const name = normal.slice(normal.lastIndexOf('/') + 1);
  const readable = name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  const hash = createHash('sha256').update(normal, 'utf8').digest('hex').slice(0, 12);
  return `${readable === '' ? 'docs' : readable}-${hash}`;
}

import type { Mirror } from './mirror.ts';

/**
 * A regular file of a commit as text. Undefined when there is none, when it is larger than `maxBytes`
 * or when it is not UTF-8.
 */
export async function readText(
  mirror: Mirror,
  commit: string,
  file: string,
  maxBytes: number,
): Promise<string | undefined> {
  if (file === '' || file.includes('\0')) return undefined;
  const listing = await mirror.line(['ls-tree', '-z', '-l', '--full-tree', commit, '--', file], {
    accept: [128],
  });
  const entry = listing.split('\0').find((line) => line.endsWith(`\t${file}`));
  const [, mode = '', id = '', size = ''] = /^(\d+) blob ([0-9a-f]+) +(\d+)\t/.exec(entry ?? '') ?? [];
  if (!mode.startsWith('100') || Number(size) > maxBytes) return undefined;
  const { raw } = await mirror.run(['cat-file', 'blob', id]);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return undefined;
  }
}

import type { Mirror } from './mirror.ts';

/**
 * The first of these regular files that a commit has, as text. What is larger than `maxBytes` or is not UTF-8 does
 * not count. However many places there are, they are one look.
 */
export async function readText(
  mirror: Mirror,
  commit: string,
  files: readonly string[],
  maxBytes: number,
): Promise<string | undefined> {
  const asked = files.filter((file) => file !== '' && !file.includes('\0'));
  if (asked.length === 0) return undefined;
  const listing = await mirror.line(['ls-tree', '-z', '-l', '--full-tree', commit, '--', ...asked], {
    accept: [128],
  });
  const entries = listing.split('\0');
  for (const file of asked) {
    const entry = entries.find((line) => line.endsWith(`\t${file}`));
    const [, mode = '', id = '', size = ''] = /^(\d+) blob ([0-9a-f]+) +(\d+)\t/.exec(entry ?? '') ?? [];
    if (!mode.startsWith('100') || Number(size) > maxBytes) continue;
    const { raw } = await mirror.run(['cat-file', 'blob', id]);
    const text = decoded(raw);
    if (text !== undefined) return text;
  }
  return undefined;
}

function decoded(raw: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return undefined;
  }
}

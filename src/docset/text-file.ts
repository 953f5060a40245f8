import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { replaceFile } from './contained-file.ts';

/**
 * Pages above this size are left alone: no hand-written page comes near it (the largest of three real
 * projects has 100 KB), and the parsers' time grows faster than the page.
 */
export const maximumPageBytes = 500_000;

const byteOrderMark = '\uFEFF';

/** A page's text without its byte order mark; everything else, line endings too, as it lies on disk. */
export interface PageText {
  readonly kind: 'text';
  readonly text: string;
  readonly byteOrderMark: boolean;
}

/** Why a page is refused that stands for another file. */
export const linkReason = 'it is a symbolic link';

export type PageRead = PageText | { readonly kind: 'refused'; readonly reason: string };

/**
 * Reads a page. A file that is no regular file, too large, binary or not UTF-8 is refused with the reason.
 * A symbolic link is never followed.
 */
export async function readPage(path: string): Promise<PageRead> {
  const refused = (reason: string): PageRead => ({ kind: 'refused', reason });
  const file = await openPlainFile(path);
  if (!file) return refused('it is a symbolic link or no regular file');
  try {
    const { size } = await file.stat();
    if (size > maximumPageBytes) return refused('it is larger than 500 KB');
    const bytes = await file.readFile();
    if (bytes.includes(0)) return refused('it is a binary file or not UTF-8');
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      if (await isStandIn(path, text)) return refused(linkReason);
      const marked = text.startsWith(byteOrderMark);
      return { kind: 'text', text: marked ? text.slice(1) : text, byteOrderMark: marked };
    } catch {
      return refused('it is not UTF-8');
    }
  } finally {
    await file.close();
  }
}

/**
 * Where there can be no symbolic links, git writes a file whose whole text is where the link leads. Such a
 * text is no prose, and an edit of it, even a line break at its end, breaks the link.
 */
async function isStandIn(path: string, text: string): Promise<boolean> {
  if (text.length > 1000 || !/^[^\s<>"`[\]()]+$/.test(text)) return false;
  if (/^\.{0,2}\//.test(text)) return true;
  return (await lstat(resolve(dirname(path), text)).catch(() => undefined)) !== undefined;
}

/**
 * Gives an existing page a new text; it keeps its mode. A hard link to it elsewhere keeps the old text.
 *
 * @throws an Error when it is a symbolic link or no file, or its folder was exchanged for a link
 */
export async function writePage(path: string, text: string, marked: boolean): Promise<void> {
  const facts = await lstat(path);
  if (!facts.isFile()) throw new Error('The file is a symbolic link or no regular file.');
  const content = (marked ? byteOrderMark : '') + text;
  if (!(await replaceFile(path, content, facts.mode & 0o777, true)))
    throw new Error('The folder of the file changed in this moment.');
}

/**
 * O_NOFOLLOW closes the moment between looking and opening; Windows has no such flag, so it looks first
 * everywhere.
 */
async function openPlainFile(path: string) {
  if (!(await lstat(path)).isFile()) return undefined;
  // Absent on Windows, whatever its type says.
  const noFollow = (constants.O_NOFOLLOW as number | undefined) ?? 0;
  return open(path, constants.O_RDONLY | noFollow);
}

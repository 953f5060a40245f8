import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readContained } from '../../../../docset/contained-file.ts';
import { rootOf, whyNotRead, whyNotWritten } from './tool-run.ts';
import type { ToolRun } from './tool-run.ts';

/** Larger files are data and not pages: an API description of a big product stays below it. */
const maximumBytes = 2_000_000;

export interface TextContent {
  readonly kind: 'text';
  readonly path: string;
  /** Without byte order mark; line endings as on disk. */
  readonly text: string;
  readonly byteOrderMark: boolean;
  readonly version: string;
}

export type ContentRead =
  | TextContent
  | { readonly kind: 'missing'; readonly path: string }
  | { readonly kind: 'refused'; readonly why: string };

/** Reads a text file for a model; other files are refused with a sentence that says what they are. */
export async function readText(run: ToolRun, given: string, use: 'read' | 'write'): Promise<ContentRead> {
  const rule = use === 'read' ? whyNotRead : (path: string) => whyNotWritten(path, run.place);
  const read = await readContained(run.place.directory, given, maximumBytes, rule);
  if (read.kind === 'refused') return { kind: 'refused', why: read.reason };
  if (read.kind === 'missing') return read;
  if (read.kind === 'folder') {
    return { kind: 'refused', why: `${read.path || '.'} is a folder. Use list_files or outline for it.` };
  }
  const { path, bytes } = read;
  const refused = (what: string): ContentRead => ({ kind: 'refused', why: `${path} ${what}` });
  if (bytes.includes(0))
    return refused('is a binary file, or no UTF-8. It can be moved or deleted, not read or edited.');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refused(
      'is not UTF-8, so its letters are not known. It can be moved or deleted, not read or edited.',
    );
  }
  if (text.startsWith('version https://git-lfs.github.com/spec/')) {
    return refused(
      'is a pointer of Git LFS: its content lies elsewhere. It can be moved or deleted, not read or edited.',
    );
  }
  if (await standsForLink(join(await rootOf(run), path), text)) {
    return refused('is a symbolic link, written as a file. Links are not followed or changed.');
  }
  const byteOrderMark = text.startsWith('\uFEFF');
  return {
    kind: 'text',
    path,
    text: byteOrderMark ? text.slice(1) : text,
    byteOrderMark,
    version: versionOf(bytes),
  };
}

/** Names the bytes of a file, so that a change is made to what was read. */
export function versionOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 12);
}

/** Where there can be no links, git writes a file whose whole text is where the link leads. */
async function standsForLink(path: string, text: string): Promise<boolean> {
  if (!/^\.{1,2}\/[^\s<>"`[\]()]{1,1000}$/.test(text)) return false;
  return (await lstat(resolve(dirname(path), text)).catch(() => undefined)) !== undefined;
}

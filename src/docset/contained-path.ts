import { lstat, readdir, realpath } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { foldedName, isGitName, whyNotPortable } from './portable-name.ts';

/** Longer paths cannot be checked out on Windows, even where long paths are switched on for git. */
const longestPath = 1_000;

/** A place in a workspace that was reached through plain folders only. */
interface Place {
  /** Relative to the workspace with `/`, spelled as on disk. */
  readonly path: string;
  /** For the file system: below the real path of the workspace. */
  readonly absolute: string;
}

export type Contained =
  | (Place & { readonly kind: 'file'; readonly facts: Stats })
  | (Place & { readonly kind: 'folder' })
  /** Nothing is there, and a file of that name could be made. */
  | (Place & { readonly kind: 'missing' })
  /** `reason` is a sentence for whoever gave the path. */
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Finds what a path that nobody vouches for means inside a workspace. Each part of it must stand in the
 * listing of its folder under just that name (composed and decomposed letters count as the same): so no other
 * spelling, short name or stream of Windows leads to a file past the rules for its name. No symbolic link is
 * followed, whether file or folder, and `.git` is never found.
 *
 * What is found may be exchanged a moment later: read, write and remove with `contained-file.ts`, which looks
 * again at the moment of use.
 *
 * @param directory the workspace
 * @param given relative to it, with `/`; `.` or empty is the workspace itself
 * @throws the file system's error for a workspace that is gone
 */
export async function findContained(directory: string, given: string): Promise<Contained> {
  const root = await realpath(directory);
  const split = partsOf(given);
  if (typeof split === 'string') return refused(split);
  let place: Place = { path: '', absolute: root };
  for (const [index, part] of split.entries()) {
    const found = await entryOf(place, part);
    const isLast = index === split.length - 1;
    if (found.kind === 'refused') return found;
    if (found.kind === 'missing') return missing(place, split.slice(index));
    const { facts, path, absolute } = found;
    if (facts.isSymbolicLink()) {
      return refused(`${shown(path)} is a symbolic link, and links are not followed.`);
    }
    if (isLast && facts.isFile()) return { ...found, kind: 'file' };
    if (!facts.isDirectory()) {
      return refused(
        facts.isFile()
          ? `${shown(path)} is a file, not a folder.`
          : `${shown(path)} is neither a file nor a folder.`,
      );
    }
    place = { path, absolute };
  }
  return { ...place, kind: 'folder' };
}

/**
 * An absolute path as one relative to the workspace, with `/`; undefined when it does not lie below. Knows
 * only spelling: what it gives still has to be found with {@link findContained}.
 */
export function relativeToWorkspace(directory: string, absolute: string): string | undefined {
  const path = relative(directory, absolute);
  if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) return undefined;
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

/** The parts of a path, or why it cannot be one. */
function partsOf(given: string): string[] | string {
  if (given.length > longestPath) return 'The path is too long.';
  if (/[\u0000-\u001F\u007F]/.test(given)) return 'The path has a control character.';
  if (given.includes('\\')) return 'Write "/" between folders, not a backslash.';
  if (given.startsWith('/') || /^[A-Za-z]:/.test(given) || given.startsWith('~/')) {
    return `${shown(given)} is an absolute path. Give the path from the top of the workspace, without a slash at the beginning.`;
  }
  const parts = given.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return 'The path has "..". Give the path from the top of the workspace.';
  const git = parts.some(isGitName);
  return git ? 'The folder of git is not there, and no file can be called like that.' : parts;
}

async function entryOf(
  folder: Place,
  part: string,
): Promise<(Place & { kind: 'found'; facts: Stats }) | { kind: 'missing' } | Refused> {
  const names = (await readdir(folder.absolute).catch(nothing)) ?? [];
  const composed = part.normalize('NFC');
  const name = names.includes(part) ? part : names.find((each) => each.normalize('NFC') === composed);
  if (name === undefined) {
    const folded = foldedName(part);
    const twin = names.find((each) => foldedName(each) === folded);
    if (twin !== undefined) {
      return refused(`There is no ${shown(joined(folder, part))}, but a ${shown(joined(folder, twin))}.`);
    }
    return { kind: 'missing' };
  }
  // Where Windows reads something into a name, not even an existing one is opened.
  const unsafe = process.platform === 'win32' ? whyNotPortable(name) : undefined;
  if (unsafe !== undefined) return refused(`${shown(name)} ${unsafe}.`);
  const absolute = join(folder.absolute, name);
  const facts = await lstat(absolute).catch(nothing);
  return facts === undefined
    ? { kind: 'missing' }
    : { kind: 'found', path: joined(folder, name), absolute, facts };
}

/** What is not there any more, or never was a folder, holds nothing; other errors are not the path's fault. */
function nothing(error: unknown): undefined {
  if (/^(?:ENOENT|ENOTDIR|ENAMETOOLONG)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined;
  throw error;
}

function missing(folder: Place, parts: readonly string[]): Contained {
  for (const part of parts) {
    const why = whyNotPortable(part);
    if (why !== undefined) return refused(`There is no ${shown(part)}, and it ${why}.`);
  }
  // New names are composed, as people and git write them everywhere but on old disks of macOS.
  const names = parts.map((part) => part.normalize('NFC'));
  return {
    kind: 'missing',
    path: joined(folder, names.join('/')),
    absolute: join(folder.absolute, ...names),
  };
}

function joined(folder: Place, name: string): string {
  return folder.path === '' ? name : `${folder.path}/${name}`;
}

type Refused = Extract<Contained, { kind: 'refused' }>;

function refused(reason: string): Refused {
  return { kind: 'refused', reason };
}

/** A path in a sentence: on one line and not endless. */
function shown(path: string): string {
  return path.length > 200 ? `${path.slice(0, 199)}…` : path;
}

import path from 'node:path';
import { readContained, writeContained } from '../../../docset/contained-file.ts';
import { relativeToWorkspace } from '../../../docset/contained-path.ts';
import { whyProtected, type PathRules } from '../../../service/protected-paths.ts';

/** The workspace as an agent sees it. */
export interface AgentPlace extends PathRules {
  /** Absolute, without symbolic links in it. */
  readonly directory: string;
}

/** A page that somebody wrote by hand has at most some hundred kilobytes; what is above this is data. */
const largestFile = 8 * 1024 * 1024;

/** Why a file may not be read or written for an agent, as a sentence for it. */
export class FileRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FileRefusal';
  }
}

/**
 * Where a path that an agent named lies, relative to the workspace and with `/`; undefined when it does not lie in
 * it. Judged by its text alone. Agents name files by absolute paths, some by paths relative to where they started.
 */
export function placeOf(named: string, place: Pick<AgentPlace, 'directory'>): string | undefined {
  // No address is a path, and a home folder is none of the workspace's.
  if (named === '' || named.includes('\0') || /^(?:[a-z][a-z0-9+.-]+:\/\/|~)/i.test(named)) return undefined;
  return relativeToWorkspace(place.directory, path.resolve(place.directory, named));
}

/** Text of a file of the workspace; undefined when there is none. Throws {@link FileRefusal}. */
export async function readForAgent(named: string, place: AgentPlace): Promise<string | undefined> {
  const answer = await readContained(place.directory, inside(named, place), largestFile, () => undefined);
  if (answer.kind === 'refused') throw new FileRefusal(answer.reason);
  if (answer.kind === 'folder') throw new FileRefusal(`${named} is a folder.`);
  if (answer.kind === 'missing') return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(answer.bytes);
  } catch {
    // With other signs in place of the letters that are not known, writing it back would spoil the file.
    throw new FileRefusal(`${answer.path} is not UTF-8, so it cannot be read as text.`);
  }
}

/** Writes a file of the workspace, with its folders. Throws {@link FileRefusal}. */
export async function writeForAgent(named: string, text: string, place: AgentPlace): Promise<void> {
  if (Buffer.byteLength(text) > largestFile) throw new FileRefusal(`The text for ${named} is too large.`);
  const answer = await writeContained(place.directory, inside(named, place), text, (found) => {
    const why = whyProtected(found, place);
    return why === undefined ? undefined : `${found} ${why} and may not be changed.`;
  });
  if (answer.kind === 'refused') throw new FileRefusal(answer.reason);
}

/**
 * The lines that an agent asked for.
 *
 * @param line first one, counted from 1
 * @param limit how many
 */
export function linesOf(text: string, line?: number | null, limit?: number | null): string {
  if (line == null && limit == null) return text;
  const from = Math.max(0, (line ?? 1) - 1);
  const lines = text.split(/(?<=\n)/);
  return lines.slice(from, limit == null ? undefined : from + limit).join('');
}

function inside(named: string, place: AgentPlace): string {
  const found = placeOf(named, place);
  if (found === undefined) throw new FileRefusal(`${named} lies outside the workspace.`);
  return found;
}

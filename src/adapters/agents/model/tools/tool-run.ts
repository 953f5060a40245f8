import { realpath } from 'node:fs/promises';
import type { Agent } from '../../../../service/ports/agent.ts';
import type { ToolPlace } from '../../../../service/ports/page-tools.ts';
import { whyProtected } from '../../../../service/protected-paths.ts';
import { isSecretFile } from './secret-files.ts';

/** What one use of a tool works with. */
export interface ToolRun {
  readonly place: ToolPlace;
  readonly signal: AbortSignal;
  readonly rules: Agent;
  /** Pages that were changed in this workspace, for checks that name none. */
  readonly changed: ChangedPages;
}

/** Pages that the tools themselves changed, and since when others may have. */
export interface ChangedPages {
  readonly paths: Set<string>;
  /** What was wrong with pages before they were changed, by their paths of now; see `rememberProblems`. */
  readonly known: Map<string, readonly string[]>;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Why a file may not be read, as a sentence. Everything in the workspace may, but what holds keys. */
export function whyNotRead(path: string): string | undefined {
  return isSecretFile(path) ? `${path} may hold keys or passwords, so it is not shown.` : undefined;
}

/** Why a file may not be changed, as a sentence. */
export function whyNotWritten(path: string, place: ToolPlace): string | undefined {
  const secret = whyNotRead(path);
  if (secret !== undefined) return secret;
  const why = whyProtected(path, place);
  if (why === undefined) return undefined;
  const where =
    place.docsRoot === '' || place.outsideDocsRoot ? '' : ` Change only files below ${place.docsRoot}/.`;
  return `${path} ${why}, so it may not be changed.${where} Leave it as it is; when it matters, say so in your summary.`;
}

/** The folder that a path argument means: without one, the docs. */
export function folderArgument(given: string | undefined, { docsRoot }: ToolPlace): string {
  return given === undefined || given.trim() === '' ? docsRoot : given;
}

export function rootOf({ place }: ToolRun): Promise<string> {
  return realpath(place.directory);
}

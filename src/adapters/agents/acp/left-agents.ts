import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/v4';
import { listProcesses } from './process-table.ts';
import { endTree } from './process-tree.ts';

/** Below the service's data folder: one file for each agent that runs. */
export const runningAgentsFolder = 'agents';

const noteSchema = z.object({
  pid: z.int().positive(),
  marker: z.string().regex(/^[0-9a-f]{32}$/),
  started: z.string(),
});

/** Names a run; nobody can guess it, so nobody else's process carries it. */
export function newMarker(): string {
  return randomBytes(16).toString('hex');
}

/** Disposing removes it. */
export interface RunningNote extends AsyncDisposable {
  /** When the agent started, as the process table tells; empty when it had ended by then. */
  readonly started: string;
}

/** Writes down that an agent runs, so that the next service process can end it when this one is killed. */
export async function noteRunningAgent(
  folder: string,
  pid: number,
  marker: string,
  platform: NodeJS.Platform,
): Promise<RunningNote> {
  const notes = path.join(folder, runningAgentsFolder);
  await mkdir(notes, { recursive: true, mode: 0o700 });
  const file = path.join(notes, `${marker}.json`);
  const started = (await listProcesses(platform)).find((entry) => entry.pid === pid)?.started ?? '';
  await writeFile(file, JSON.stringify({ pid, marker, started }), { mode: 0o600 });
  return { started, [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}

/**
 * Ends the agents that a killed service process left behind, with all that they started. Only the holder of the
 * data folder's lock may call it: the notes could be those of agents that somebody needs. Answers how many notes
 * there were.
 */
export async function endLeftAgents(folder: string): Promise<number> {
  const notes = path.join(folder, runningAgentsFolder);
  const names = await readdir(notes).catch(() => []);
  for (const name of names) {
    const file = path.join(notes, name);
    const note = await readNote(file);
    if (note !== undefined) await endTree(note, 0, process.platform);
    await rm(file, { force: true, recursive: true });
  }
  return names.length;
}

async function readNote(file: string): Promise<z.infer<typeof noteSchema> | undefined> {
  try {
    return noteSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // Cut off in the middle of its writing; its agent ends with its standard input.
    return undefined;
  }
}

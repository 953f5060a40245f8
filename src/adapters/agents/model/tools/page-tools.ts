import type { Agent } from '../../../../service/ports/agent.ts';
import type { PageTools, ToolAnswer, ToolCall, ToolPlace } from '../../../../service/ports/page-tools.ts';
import { deleteFile } from './delete-file.ts';
import { editFile, writeFile } from './edit-file.ts';
import { listFiles } from './list-files.ts';
import { moveFile } from './move-file.ts';
import { outline } from './outline.ts';
import { readFile } from './read-file.ts';
import { runChecks } from './run-checks.ts';
import { runRule } from './run-rule.ts';
import { search } from './search.ts';
import { failed } from './tool-answer.ts';
import { readInput } from './tool-input.ts';
import type { ChangedPages, ToolRun } from './tool-run.ts';
import { toolTable } from './tool-table.ts';
import type { ToolInput, ToolName } from './tool-table.ts';

/** Workspaces whose changed pages are remembered; a process serves few of them at a time. */
const rememberedPlaces = 50;

type Tools = { readonly [Name in ToolName]: (run: ToolRun, input: ToolInput<Name>) => Promise<ToolAnswer> };

const tools: Tools = {
  list_files: listFiles,
  search,
  outline,
  read_file: readFile,
  edit_file: editFile,
  write_file: writeFile,
  move_file: moveFile,
  delete_file: deleteFile,
  run_checks: runChecks,
  run_rule: runRule,
};

/**
 * The tools of `toolTable`, confined to a workspace: reading to all of it but `.git` and files with keys, writing
 * to what `whyProtected` lets a job change. Answers everything that a model can do wrong; only the abort of the
 * signal is thrown.
 */
export function createPageTools({ rules }: { readonly rules: Agent }): PageTools {
  const places = new Map<string, ChangedPages>();
  const changedIn = ({ directory }: ToolPlace): ChangedPages => {
    const changed = places.get(directory) ?? {
      paths: new Set<string>(),
      known: new Map<string, readonly string[]>(),
      // The clock tells whole milliseconds, and files finer ones: what was made just before is not new.
      since: Date.now() + 1,
    };
    places.delete(directory);
    places.set(directory, changed);
    const [oldest] = places.keys();
    if (places.size > rememberedPlaces && oldest !== undefined) places.delete(oldest);
    return changed;
  };
  return {
    async use(call, place, signal) {
      signal.throwIfAborted();
      try {
        return await carryOut(call, { place, signal, rules, changed: changedIn(place) });
      } catch (error) {
        signal.throwIfAborted();
        return failed(`The tool could not do this (${reasonOf(error)}). Try something else.`);
      }
    },
  };
}

function carryOut({ name, input }: ToolCall, run: ToolRun): Promise<ToolAnswer> | ToolAnswer {
  const entry = toolTable.find((each) => each.name === name);
  if (!entry) {
    return failed(
      `There is no tool "${name.slice(0, 60)}". The tools are ${toolTable.map((each) => each.name).join(', ')}.`,
    );
  }
  const read = readInput(entry.input, input);
  if (read.kind === 'wrong') return failed(`${entry.name}: ${read.why}`);
  // The schema of the entry belongs to the tool of its name.
  return (tools[entry.name] as (run: ToolRun, input: unknown) => Promise<ToolAnswer>)(run, read.input);
}

/** Never the message of the system: it holds the absolute path of the workspace. */
function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : 'an unexpected error';
}

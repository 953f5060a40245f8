import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createRulesAgent } from '../../src/adapters/agents/rules/rules-agent.ts';
import { git, temporaryFolder } from '../support/repositories.ts';
import { inCodeToo, inProse, makeDocsOrigin, pages, type Replacement } from './docs-origin.ts';
import { inMs, median, milliseconds, repeat, type Row, times } from './table.ts';

const runs = { most: 3, withinMs: 20_000 };
const sh = promisify(execFile);

/** The agent alone, on files that lie there, beside the two commands that do the same without looking. */
export async function measureRules(): Promise<Row[]> {
  using folder = temporaryFolder();
  const { clone, docs } = await makeDocsOrigin(folder.path);
  const rows: Row[] = [];
  for (const replacement of [inCodeToo, inProse]) {
    rows.push(await measure(clone, docs.pagesWithTerm, replacement));
  }
  return rows;
}

async function measure(clone: string, wanted: number, replacement: Replacement): Promise<Row> {
  const agent: number[] = [];
  const sed: number[] = [];
  let byAgent = 0;
  let bySed = 0;
  await repeat(runs, async () => {
    agent.push(await milliseconds(() => runAgent(clone, replacement.prompt)));
    byAgent = wrongEdits(clone, wanted);
    restore(clone);
    const [from, to] = replacement.plain;
    const command = `git grep -lz '${from}' | xargs -0 sed -i 's/${from}/${to}/g'`;
    sed.push(await milliseconds(() => sh('sh', ['-c', command], { cwd: clone })));
    bySed = wrongEdits(clone, wanted);
    restore(clone);
  });
  const figure = median(agent);
  const other = median(sed);
  const wrong = (edits: number): string => `${edits.toLocaleString('en')} wrong edits`;
  return {
    what: `Rules agent, ${pages.toLocaleString('en')} pages, ${replacement.where}`,
    figure: `${inMs(figure)}, ${wrong(byAgent)}`,
    beside: `git grep and sed: ${inMs(other)}, ${wrong(bySed)}`,
    ratio: times(figure, other),
  };
}

async function runAgent(directory: string, prompt: string): Promise<void> {
  await createRulesAgent().run({
    prompt,
    earlier: [],
    directory,
    docsRoot: '',
    outsideDocsRoot: false,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
}

/** Edits in code, where the term is part of a command. Throws when the prose is not what it should be. */
function wrongEdits(clone: string, wanted: number): number {
  const lines = git(clone, 'diff', '--unified=0')
    .split('\n')
    .filter((line) => /^\+[^+]/.test(line));
  const wrong = lines.filter((line) => line.startsWith('+tool '));
  if (lines.length - wrong.length !== wanted) {
    throw new Error(`${lines.length - wrong.length} lines of prose were changed instead of ${wanted}.`);
  }
  return wrong.length;
}

function restore(clone: string): void {
  git(clone, 'checkout', '--quiet', '--', '.');
}

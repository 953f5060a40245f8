// npm test: builds, runs every suite, and ends with one line of totals. `--floor` runs the suite inside
// the oldest supported VS Code; words such as `unit e2e` run only those suites.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  addCounts,
  closingLine,
  hasSucceeded,
  oneFailure,
  recordTotal,
  type Counts,
} from './support/counts.ts';
import { editorProfiles, runEditorSuite } from './support/editor-suite.ts';
import { runNodeSuite } from './support/node-suite.ts';
import { OwnedProcess } from './support/vscode-host/owned-process.ts';

const root = path.resolve(import.meta.dirname, '..');
const suites = ['unit', 'integration', 'e2e', 'vscode'] as const;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { floor: { type: 'boolean', default: false } },
  });
  const unknown = positionals.filter((name) => !suites.some((suite) => suite === name));
  if (unknown.length > 0)
    throw new Error(`No suite is called ${unknown.join(', ')}. There are: ${suites.join(', ')}.`);
  const wanted = new Set<string>(values.floor ? ['vscode'] : positionals.length > 0 ? positionals : suites);

  const counts = addCounts(await runSuites(wanted, values.floor));
  await recordTotal(counts);
  console.log(`\n${closingLine(counts)}`);
  process.exitCode = hasSucceeded(counts) ? 0 : 1;
}

async function runSuites(wanted: ReadonlySet<string>, floor: boolean): Promise<Counts[]> {
  if (!(await build())) return [oneFailure];
  const all: Counts[] = [];
  const folders = ['unit', 'integration'].filter((name) => wanted.has(name)).map((name) => `test/${name}`);
  if (folders.length > 0) all.push(await titled(folders.join(' and '), () => runNodeSuite(folders)));
  if (wanted.has('e2e') && existsSync(path.join(root, 'test/e2e'))) {
    all.push(await titled('test/e2e', () => runNodeSuite(['test/e2e'])));
  }
  if (wanted.has('vscode')) {
    const release = floor ? 'floor' : 'current';
    for (const profile of editorProfiles) {
      all.push(
        await titled(`test/vscode, ${release} VS Code, ${profile}`, () => runEditorSuite(profile, release)),
      );
    }
  }
  return all;
}

async function titled(title: string, run: () => Promise<Counts>): Promise<Counts> {
  console.log(`\n== ${title}`);
  const started = performance.now();
  const counts = await run();
  console.log(`== ${title}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return counts;
}

async function build(): Promise<boolean> {
  await using owned = new OwnedProcess(process.execPath, ['esbuild.js', '--tests'], {
    cwd: root,
    stdio: 'inherit',
  });
  return (await owned.ended) === 0;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // Processes that are owned end at the exit.
  process.once(signal, () => process.exit(1));
}
await main();

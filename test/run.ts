// npm test: builds, runs every suite, and ends with one line of totals. `--floor` runs the suite inside
// the oldest supported VS Code; words such as `unit e2e` run only those suites.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { addCounts, closing, hasSucceeded, oneFailure, recordTotal, type Counts } from './support/counts.ts';
import { editorProfiles, prepareEditor, runEditorSuite } from './support/editor-suite.ts';
import { runNodeSuite } from './support/node-suite.ts';
import { editorReleases } from './support/vscode-host/release.ts';
import { OwnedProcess } from './support/vscode-host/owned-process.ts';

const root = path.resolve(import.meta.dirname, '..');
// Nobody looks on there, and the machine may be busy with something else. Second tries are told at the end of the run.
const retries = process.env['CI'] === 'true' ? 1 : 0;
const suites = ['unit', 'integration', 'e2e', 'vscode'] as const;

async function main(): Promise<void> {
  // The suite that runs ends what it started, then the run closes as one that has failed.
  const stop = new AbortController();
  process.on('SIGINT', () => stop.abort());
  // Inside runTests only an interrupt is understood.
  process.on('SIGTERM', () => process.kill(process.pid, 'SIGINT'));
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { floor: { type: 'boolean', default: false } },
  });
  const unknown = positionals.filter((name) => !suites.some((suite) => suite === name));
  if (unknown.length > 0)
    throw new Error(`No suite is called ${unknown.join(', ')}. There are: ${suites.join(', ')}.`);
  const wanted = new Set<string>(values.floor ? ['vscode'] : positionals.length > 0 ? positionals : suites);

  const counts = addCounts(await runSuites(wanted, values.floor, stop.signal));
  await recordTotal(counts);
  console.log(`\n${closing(counts)}`);
  process.exitCode = hasSucceeded(counts) ? 0 : 1;
}

async function runSuites(
  wanted: ReadonlySet<string>,
  floor: boolean,
  signal: AbortSignal,
): Promise<Counts[]> {
  if (!(await build(signal))) return [oneFailure('The build ended with an error.')];
  const all: Counts[] = [];
  for (const [title, run] of planned(wanted, floor, signal)) {
    all.push(signal.aborted ? oneFailure(`${title} was stopped.`) : await titled(title, run));
  }
  return all;
}

function* planned(
  wanted: ReadonlySet<string>,
  floor: boolean,
  signal: AbortSignal,
): Iterable<[title: string, run: () => Promise<Counts>]> {
  const folders = ['unit', 'integration'].filter((name) => wanted.has(name)).map((name) => `test/${name}`);
  if (folders.length > 0)
    yield [folders.join(' and '), () => runNodeSuite(folders, { signal, retries, shards: 2 })];
  if (wanted.has('e2e')) {
    yield ['VS Code and a browser', prepareEditor];
    yield ['test/e2e', () => runNodeSuite(['test/e2e'], { signal, retries })];
  }
  if (!wanted.has('vscode')) return;
  const release = floor ? 'floor' : 'current';
  for (const profile of editorProfiles) {
    const title = `test/vscode, VS Code ${editorReleases[release].version}, ${profile}`;
    yield [title, () => runEditorSuite(profile, release)];
  }
}

async function titled(title: string, run: () => Promise<Counts>): Promise<Counts> {
  console.log(`\n== ${title}`);
  const started = performance.now();
  const counts = await run();
  console.log(`== ${title}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return counts;
}

async function build(signal: AbortSignal): Promise<boolean> {
  await using owned = new OwnedProcess(process.execPath, ['esbuild.js', '--tests'], {
    cwd: root,
    stdio: 'inherit',
    signal,
  });
  return (await owned.ended) === 0;
}

await main();

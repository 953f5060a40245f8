import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { failureText, type Counts } from '../support/counts.ts';

/** Where the counts go; the runner adds them to the total. */
const resultVariable = 'DOCS_AGENT_TEST_RESULT';
/** Names of the test files that are for this window, such as `activation,tree`. */
const filesVariable = 'DOCS_AGENT_TEST_FILES';

/** Milliseconds for one test. A busy machine takes its time; only a failure takes all of this. */
const testMs = 180_000;

/** Called by VS Code in the extension host. Rejects when a test failed, which gives the editor's exit code. */
export async function run(): Promise<void> {
  const { default: Mocha } = await import('mocha');
  const mocha = new Mocha({ timeout: testMs, color: false, forbidOnly: true });
  const wanted = process.env[filesVariable]?.split(',');
  const names = (await readdir(__dirname)).filter((name) => name.endsWith('.test.cjs')).sort();
  for (const name of names) {
    const isWanted = wanted === undefined || wanted.includes(name.slice(0, -'.test.cjs'.length));
    if (isWanted) mocha.addFile(path.join(__dirname, name));
  }
  const failures: string[] = [];
  const stats = await new Promise<Mocha.Stats>((resolve) => {
    const runner = mocha.run(() => resolve(runner.stats as Mocha.Stats));
    runner.on('fail', (test: Mocha.Test, error: unknown) => {
      failures.push(failureText(test.fullTitle(), error));
    });
  });
  const counts: Counts = { passed: stats.passes, failures, secondTries: [], skipped: stats.pending };
  const file = process.env[resultVariable];
  if (file !== undefined) await writeFile(file, JSON.stringify(counts));
  if (failures.length > 0) throw new Error('Tests have failed.');
}

import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Where the counts go; the runner adds them to the total. */
const resultVariable = 'DOCS_AGENT_TEST_RESULT';
/** Names of the test files that are for this window, such as `activation,tree`. */
const filesVariable = 'DOCS_AGENT_TEST_FILES';

/** Called by VS Code in the extension host. Rejects when a test failed, which gives the editor's exit code. */
export async function run(): Promise<void> {
  const { default: Mocha } = await import('mocha');
  const mocha = new Mocha({ timeout: 30_000, color: false, forbidOnly: true });
  const wanted = process.env[filesVariable]?.split(',');
  const names = (await readdir(__dirname)).filter((name) => name.endsWith('.test.cjs')).sort();
  for (const name of names) {
    const isWanted = wanted === undefined || wanted.includes(name.slice(0, -'.test.cjs'.length));
    if (isWanted) mocha.addFile(path.join(__dirname, name));
  }
  const counts = await new Promise<Mocha.Stats>((resolve) => {
    const runner = mocha.run(() => resolve(runner.stats as Mocha.Stats));
  });
  const { passes: passed, failures: failed, pending: skipped } = counts;
  const file = process.env[resultVariable];
  if (file !== undefined) await writeFile(file, JSON.stringify({ passed, failed, skipped }));
  if (failed > 0) throw new Error('Tests have failed.');
}

// npm run kill: kills the service 200 times at random moments. A number after it kills more or less often, a
// second one is the seed of an earlier run. The same test runs with fewer kills in every `npm test`.
import path from 'node:path';
import { OwnedProcess } from './support/vscode-host/owned-process.ts';

const root = path.resolve(import.meta.dirname, '..');
const [kills = '200', seed] = process.argv.slice(2);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // Processes that are owned end at the exit.
  process.once(signal, () => process.exit(1));
}
const mocha = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
await using owned = new OwnedProcess(process.execPath, [mocha, 'test/e2e/kill-random.test.ts'], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    DOCS_AGENT_KILLS: kills,
    ...(seed !== undefined && { DOCS_AGENT_KILL_SEED: seed }),
  },
});
process.exitCode = (await owned.ended) === 0 ? 0 : 1;

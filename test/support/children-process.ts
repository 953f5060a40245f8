import { ChildProcesses } from '../../src/adapters/child-process/child-processes.ts';

/**
 * A process with children of its own. Writes their ids. `stay`: one of them spins, so it stays until it is
 * killed; `end`: it has nothing more to do; `dispose`: it ends its children first.
 */
const children = new ChildProcesses({
  entry: new URL('./trap-child-process.ts', import.meta.url),
  env: process.env,
  keep: 2,
});
const { agent, tools } = children.parts('trap');
const signal = new AbortController().signal;
const place = { directory: '/w', docsRoot: '', outsideDocsRoot: false };
if (process.argv[2] === 'stay') {
  const { promise, resolve } = Promise.withResolvers<void>();
  void agent.run({ ...place, prompt: 'spin', earlier: [], signal, onProgress: () => resolve() });
  await promise;
}
await tools.use({ name: 'work', input: null }, place, signal);
process.stdout.write(`${JSON.stringify(children.pids)}\n`);
if (process.argv[2] === 'dispose') {
  await children[Symbol.asyncDispose]();
  process.stdout.write('disposed\n');
}

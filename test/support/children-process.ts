import { setImmediate } from 'node:timers/promises';
import { ChildProcesses } from '../../src/adapters/child-process/child-processes.ts';

/**
 * A process with children of its own. Writes their ids. `stay`: one of them spins, so it stays until it is
 * killed; `end`: it has nothing more to do; `dispose`: it ends its children first. `answers`: it writes instead how
 * many of many answers are still in memory, and needs `--expose-gc` for that.
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
if (process.argv[2] === 'answers') {
  const answers: WeakRef<object>[] = [];
  while (answers.length < 20)
    answers.push(new WeakRef(await tools.use({ name: 'work', input: null }, place, signal)));
  const kept = (): number => answers.filter((answer) => answer.deref() !== undefined).length;
  // What was looked at in one turn stays until the next one, and what still runs may hold some for a few more.
  for (let turn = 0; turn < 100 && kept() > 0; turn++) {
    await setImmediate();
    globalThis.gc?.();
  }
  process.stdout.write(`${kept()}\n`);
} else {
  process.stdout.write(`${JSON.stringify(children.pids)}\n`);
}
if (process.argv[2] === 'dispose') {
  await children[Symbol.asyncDispose]();
  process.stdout.write('disposed\n');
}

import { setImmediate } from 'node:timers/promises';
import { takeInstanceLock } from '../../src/adapters/sqlite/instance-lock.ts';

/**
 * Run as a process of its own: says whether it got the lock of its first argument, and lives on. With
 * `--expose-gc` all that nobody refers to is gone by then.
 */
const answer = takeInstanceLock(process.argv[2] ?? '') === undefined ? 'refused' : 'held';
await setImmediate();
globalThis.gc?.();
process.stdout.write(`${answer}\n`);
if (answer === 'held') setInterval(() => undefined, 60_000);

import { takeInstanceLock } from '../../src/adapters/sqlite/instance-lock.ts';

/** Run as a process of its own: says whether it got the lock of its first argument, and lives on. */
const lock = takeInstanceLock(process.argv[2] ?? '');
process.stdout.write(lock === undefined ? 'refused\n' : 'held\n');
if (lock !== undefined) setInterval(() => undefined, 60_000);

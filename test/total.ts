// Adds up the runs that were recorded, see totalsVariable, and closes with their total.
import { addCounts, closing, hasSucceeded, recordedTotals } from './support/counts.ts';

const total = addCounts(await recordedTotals());
console.log(closing(total));
process.exitCode = hasSucceeded(total) ? 0 : 1;

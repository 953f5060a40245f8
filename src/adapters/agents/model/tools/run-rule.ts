import type { ToolAnswer } from '../../../../service/ports/page-tools.ts';
import { ServiceError } from '../../../../service/service-error.ts';
import { changedPages } from './changed-pages.ts';
import { rememberProblems } from './known-problems.ts';
import { done, failed } from './tool-answer.ts';
import type { ToolRun } from './tool-run.ts';
import type { ToolInput } from './tool-table.ts';

const longestInstruction = 2_000;
const longestSummary = 8_000;

/** Lets the rules agent carry out one instruction. What it does not understand it says, and changes nothing. */
export async function runRule(run: ToolRun, { instruction }: ToolInput<'run_rule'>): Promise<ToolAnswer> {
  if (instruction.length > longestInstruction)
    return failed('The instruction is too long. Give one at a time.');
  try {
    const result = await run.rules.run({
      prompt: instruction,
      earlier: [],
      ...run.place,
      signal: run.signal,
      onProgress: () => undefined,
    });
    // A rule keeps the shape of pages: what is wrong after it was wrong before.
    await rememberProblems(run, await changedPages(run));
    return done(result.summary.slice(0, longestSummary));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // What follows advises people to connect a model.
    return failed(error.message.split('\n\nFor any other wish')[0] ?? error.message);
  }
}

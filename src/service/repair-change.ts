import { askAgent, type AgentPlace, type AskDeps, withRepair } from './ask-agent.ts';
import { refusedChange } from './change-rules.ts';
import { checkVersion, type CheckDeps, type CheckPlace, type Version } from './change-version.ts';
import { ClaimLost } from './job-errors.ts';
import { timeLimit } from './time-limit.ts';

/** Problems that are handed to the agent at once: more do not fit into one answer. */
const handedProblems = 50;
const maxProblem = 500;

/** Of an attempt's whole time: what comes after it is for the delivery. */
const shareOfTime = 0.75;

export interface RepairDeps extends AskDeps, CheckDeps {
  /** How long the attempt has been at work, in milliseconds. */
  readonly elapsedMs: () => number;
  /** Commits the workspace; undefined when nothing differs from what was there before. */
  readonly commit: (result: Version['result']) => Promise<string | undefined>;
}

/**
 * Gives what the checks found back to the agent, as long as that makes it better and a bounded number of times.
 * Answers the best version. A repair that fails, or that makes nothing better, costs nothing: the version
 * before it is committed already.
 *
 * @throws the signal's reason, `ClaimLost`
 */
export async function repairChange(
  place: AgentPlace & CheckPlace,
  first: Version,
  deps: RepairDeps,
  signal: AbortSignal,
): Promise<Version> {
  const { attempt, agent } = place;
  const { wallClockMs, repairMs } = deps.limits;
  const left = Math.min(repairMs, wallClockMs * shareOfTime - deps.elapsedMs());
  if (left <= 0) return first;
  using limit = timeLimit(signal, left);
  let best = first;
  for (let round = 1; agent.repairs && round <= deps.limits.repairRounds; round += 1) {
    const problems = best.checks?.problems ?? [];
    if (problems.length === 0) break;
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    await attempt.step('agent', `The checks found ${count}, so the agent goes over its change`);
    const next = await repaired(place, best, problems, deps, limit.signal).catch((error: unknown) => {
      if (signal.aborted || error instanceof ClaimLost) throw error;
      return failedRepair(place, deps, error);
    });
    if (next === undefined) break;
    best = next;
  }
  return best;
}

/** Undefined: nothing got better, and the workspace is not what it was. */
async function repaired(
  place: AgentPlace & CheckPlace,
  best: Version,
  problems: readonly string[],
  deps: RepairDeps,
  signal: AbortSignal,
): Promise<Version | undefined> {
  const { attempt, workspace } = place;
  const { conversation } = best.result;
  const repair = problems
    .slice(0, handedProblems)
    .map((problem) => deps.redact(problem).slice(0, maxProblem));
  if (problems.length > repair.length) repair.push(`There are ${problems.length - repair.length} more.`);
  const asked = { repair, ...(conversation !== undefined && { conversation }) };
  const result = withRepair(best.result, await askAgent(place, asked, deps, signal));
  const change = await workspace.changes();
  const rules = { docsRoot: workspace.repository.docsRoot, outsideDocsRoot: deps.outsideDocsRoot };
  const refusal = refusedChange(change, rules, deps.limits);
  if (refusal !== undefined) throw refusal;
  // Undefined: it has taken everything back, which repairs nothing.
  const commit = await deps.commit(result);
  if (commit === undefined) return undefined;
  await attempt.step('checks', 'Checking the changed pages again');
  const checks = await checkVersion(place, { change, commit }, deps, signal);
  const isBetter = checks !== undefined && checks.problems.length < problems.length;
  return isBetter ? { result, change, commit, checks } : undefined;
}

async function failedRepair({ attempt }: CheckPlace, deps: RepairDeps, error: unknown): Promise<undefined> {
  deps.log.warn('The agent could not repair what the checks found', { job: attempt.claim.job.id, error });
  await attempt.tell('warning', 'The agent could not repair what the checks found.');
}

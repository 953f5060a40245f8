import type { Attempt } from './attempt.ts';
import type { JobLimits } from './limits.ts';
import type { Agent, AgentResult, TokensSpent } from './ports/agent.ts';
import type { Workspace } from './ports/workspaces.ts';
import { runAgent } from './run-agent.ts';
import { titleOf } from './title.ts';

/** Far above what anybody reads in a pull request, in characters. */
const maxSummary = 20_000;
/** Of what an agent hands to its next run: beyond this it begins anew, with what was asked before. */
const maxConversationBytes = 100 * 1024;

/** Who does what the attempt's message asks for, and where. */
export interface AgentPlace {
  readonly attempt: Attempt;
  readonly agent: Agent;
  readonly workspace: Workspace;
}

export interface AskDeps {
  readonly limits: JobLimits;
  /** Blanks out secrets in everything that is written or published. */
  readonly redact: (text: string) => string;
  /** Whether jobs may change files outside the project's docs folder. */
  readonly outsideDocsRoot: boolean;
}

/**
 * Lets the agent do what the message asks for, or repair what it did. What it answers is untrusted: lengths are
 * bounded, secrets are blanked out. Throws like `runAgent`.
 */
export async function askAgent(
  { attempt, agent, workspace }: AgentPlace,
  { conversation, repair }: { readonly conversation?: string; readonly repair?: readonly string[] },
  deps: AskDeps,
  signal: AbortSignal,
): Promise<AgentResult> {
  const { message, earlier } = attempt.claim;
  const { spent } = attempt.work;
  let writing: Promise<void> = Promise.resolve();
  let isOver = false;
  const task = {
    prompt: message.prompt,
    earlier: earlier.flatMap(({ prompt, summary }) => (summary === undefined ? [] : [{ prompt, summary }])),
    ...(conversation !== undefined && { conversation }),
    ...(repair !== undefined && { repair }),
    directory: workspace.directory,
    docsRoot: workspace.repository.docsRoot,
    outsideDocsRoot: deps.outsideDocsRoot,
    signal,
    ...(spent?.message === message.number && { spent }),
    // Written down at once: an attempt that begins anew after a failure or a crash counts on from here.
    onSpent: ({ input, output }: TokensSpent) => {
      // One that was left behind has nothing to say any more.
      if (isOver) return;
      const change = { spent: { message: message.number, input, output } };
      writing = writing.then(() => attempt.recordWork(change)).catch(noop);
    },
  };
  const tell = (step: string): Promise<void> => attempt.step('progress', step);
  let result: AgentResult;
  try {
    result = await runAgent(agent, task, deps.limits, tell);
  } finally {
    isOver = true;
    // Nothing else is recorded of the work before this is.
    await writing;
  }
  if (result.model !== undefined && result.model.trim() !== '') await attempt.recordModel(result.model);
  return {
    title: titleOf(deps.redact(result.title.trim() === '' ? message.prompt : result.title)),
    summary: shortened(deps.redact(result.summary).trim()),
    ...(result.conversation !== undefined &&
      Buffer.byteLength(result.conversation) <= maxConversationBytes && {
        conversation: result.conversation,
      }),
  };
}

/** What an agent said first, with what it said when it had repaired that. */
export function withRepair(first: AgentResult, repair: AgentResult): AgentResult {
  const summary = [first.summary, repair.summary].filter((text) => text !== '').join('\n\n');
  return { ...repair, title: first.title, summary: shortened(summary) };
}

/** A lost claim shows at the next word. */
const noop = (): void => undefined;

function shortened(summary: string): string {
  if (summary.length <= maxSummary) return summary;
  return `${summary.slice(0, maxSummary).toWellFormed()}\n\n… (shortened)`;
}

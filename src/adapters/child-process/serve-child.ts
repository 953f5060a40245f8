import type { PageCheck } from '../../service/page-checks.ts';
import type { Agent } from '../../service/ports/agent.ts';
import type { PageTools } from '../../service/ports/page-tools.ts';
import { ServiceError } from '../../service/service-error.ts';
import { endWithParent } from './lifeline.ts';
import type { Order, Word, Work } from './messages.ts';

export interface ChildDeps {
  readonly agent: Agent;
  readonly check: PageCheck;
  readonly tools: PageTools;
}

/** The inside of a child of `ChildProcesses`: does what it is asked for until it is ended. */
export function serveChild(deps: ChildDeps): void {
  const send = process.send?.bind(process);
  if (send === undefined) throw new Error('This is no child process.');
  endWithParent();
  // Whoever ends a whole group (a terminal, a service manager) gives the parent time to finish its jobs.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  // A parent that has gone hears nothing more; the lifeline ends this process.
  const say = (word: Word): void => void send(word, undefined, undefined, () => undefined);
  let underWay: AbortController | undefined;
  process.on('message', (order: Order) => {
    if (order.kind === 'abort') {
      underWay?.abort();
      return;
    }
    underWay = new AbortController();
    void carryOut(order.work, deps, underWay.signal, say);
  });
}

async function carryOut(
  work: Work,
  deps: ChildDeps,
  signal: AbortSignal,
  say: (word: Word) => void,
): Promise<void> {
  try {
    say({ kind: 'done', value: await valueOf(work, deps, signal, say) });
  } catch (error) {
    const named = error instanceof ServiceError ? error.toJobError() : undefined;
    say({ kind: 'failed', named, error: error instanceof Error ? plain(error) : String(error) });
  }
}

function valueOf(
  work: Work,
  { agent, check, tools }: ChildDeps,
  signal: AbortSignal,
  say: (word: Word) => void,
): Promise<unknown> {
  switch (work.kind) {
    case 'check':
      return check(work.change, signal);
    case 'tool':
      return tools.use(work.call, work.place, signal);
    case 'agent':
      return agent.run({
        ...work.task,
        signal,
        onProgress: (message) => say({ kind: 'progress', message }),
      });
  }
}

/** What a library put beside an error's text may be a function, which no message carries. */
function plain(error: Error): Error {
  const copy = new Error(error.message);
  copy.name = error.name;
  if (error.stack !== undefined) copy.stack = error.stack;
  if (error.cause instanceof Error) copy.cause = plain(error.cause);
  return copy;
}

import { parentPort } from 'node:worker_threads';
import type { PageCheck } from '../../service/page-checks.ts';
import type { Agent } from '../../service/ports/agent.ts';
import { ServiceError } from '../../service/service-error.ts';
import type { Order, Word, Work } from './messages.ts';

export interface ThreadDeps {
  readonly agent: Agent;
  readonly check: PageCheck;
}

/** The inside of a thread of {@link Threads}: does what it is asked for until it is ended. */
export function serveThread(deps: ThreadDeps): void {
  const port = parentPort;
  if (port === null) throw new Error('This is no thread.');
  const say = (word: Word): void => port.postMessage(word);
  let underWay: AbortController | undefined;
  port.on('message', (order: Order) => {
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
  deps: ThreadDeps,
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
  { agent, check }: ThreadDeps,
  signal: AbortSignal,
  say: (word: Word) => void,
): Promise<unknown> {
  if (work.kind === 'check') return check(work.directory, work.docsRoot, work.paths, signal);
  const onProgress = (message: string): void => say({ kind: 'progress', message });
  return agent.run({ ...work.task, signal, onProgress });
}

/** What a library put beside an error's text may be a function, which no message carries. */
function plain(error: Error): Error {
  const copy = new Error(error.message);
  copy.name = error.name;
  if (error.stack !== undefined) copy.stack = error.stack;
  if (error.cause instanceof Error) copy.cause = plain(error.cause);
  return copy;
}

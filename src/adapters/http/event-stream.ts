import type { Context } from 'hono';
import type { JobEvent } from '../../contract/events.ts';
import { hasEnded } from '../../contract/job.ts';
import { eventsQuerySchema } from '../../contract/requests.ts';
import { RequestError } from '../../service/request-error.ts';
import type { AppDeps } from './app.ts';
import { checkQuery } from './request-body.ts';

/** Proxies and readers give up on a connection that is silent for half a minute or more. */
const keepAliveMs = 15_000;
/** How long a reader waits before it connects again, told to it in the stream. */
const retryMs = 2_000;

/**
 * A job's events as `text/event-stream`: those after `Last-Event-ID` (or `cursor`), then each as it comes,
 * until the job has ended. A reader that comes back with everything known gets 204, which tells it to stop.
 */
export async function eventStream(
  { jobs, lifecycle, log }: Pick<AppDeps, 'jobs' | 'lifecycle' | 'log'>,
  context: Context,
  projectId: string,
  id: string,
): Promise<Response> {
  const lastEventId = context.req.header('last-event-id');
  const after = startAfter(lastEventId, context.req.query());
  const job = await jobs.get(projectId, id);
  if (lastEventId !== undefined && hasEnded(job.status)) {
    const { events } = await jobs.events(projectId, id, { after, limit: 1 });
    if (events.length === 0) return new Response(null, { status: 204 });
  }

  const end = new AbortController();
  const signal = AbortSignal.any([end.signal, lifecycle.stopping, context.req.raw.signal]);
  const events = jobs.subscribe(projectId, id, after, signal);
  const hold = lifecycle.hold();
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  let keepAlive: NodeJS.Timeout | undefined;
  const finish = (): void => {
    clearInterval(keepAlive);
    hold[Symbol.dispose]();
  };

  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(encode(`retry: ${retryMs}\n\n`));
      keepAlive = setInterval(() => {
        // Not on top of what a slow reader has not taken yet.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encode(': still here\n\n'));
      }, keepAliveMs);
    },
    // One event a pull: a reader that does not read holds one event in memory, not all of them.
    pull: async (controller) => {
      try {
        const next = await events.next();
        if (next.done !== true) {
          controller.enqueue(encode(frame(next.value)));
          return;
        }
      } catch (error) {
        log.error('An event stream broke off', { error });
      }
      finish();
      if (!end.signal.aborted) controller.close();
    },
    cancel: () => {
      end.abort();
      finish();
    },
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } });
}

function startAfter(lastEventId: string | undefined, query: Record<string, string>): number {
  if (lastEventId === undefined) return checkQuery(eventsQuerySchema, query).cursor;
  const after = Number(lastEventId);
  if (/^\d{1,15}$/.test(lastEventId)) return after;
  throw new RequestError('invalid_request', 'Last-Event-ID must be the number of an event of this job.');
}

/** JSON has no line break in it, so the data is one line. */
function frame(event: JobEvent): string {
  return `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`;
}

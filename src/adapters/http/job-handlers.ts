import type { Context } from 'hono';
import { headers } from '../../contract/routes.ts';
import { projectRequestSchema } from '../../contract/project.ts';
import {
  createRequestSchema,
  eventsQuerySchema,
  listQuerySchema,
  promptRequestSchema,
} from '../../contract/requests.ts';
import type { CreatedJob, JobService } from '../../service/job-service.ts';
import { RequestError } from '../../service/request-error.ts';
import type { AppDeps, Handlers } from './app.ts';
import { eventStream } from './event-stream.ts';
import { checkQuery, readJson } from './request-body.ts';

/** What the routes need of the job service. */
export type JobApi = Pick<
  JobService,
  | 'create'
  | 'followUp'
  | 'get'
  | 'list'
  | 'cancel'
  | 'archive'
  | 'events'
  | 'subscribe'
  | 'diff'
  | 'putProject'
>;

export function jobHandlers(deps: Pick<AppDeps, 'jobs' | 'lifecycle' | 'log'>): Handlers {
  const { jobs, lifecycle } = deps;

  /** New work is not taken on the way out: it would wait for the next service, with nobody to say so. */
  const refuseWhenStopping = (): void => {
    if (!lifecycle.stopping.aborted) return;
    throw new RequestError('stopping', 'The service is ending. Send this again in a few seconds.');
  };

  return {
    createJob: async (context) => {
      refuseWhenStopping();
      const body = await readJson(context.req.raw, createRequestSchema);
      return created(await jobs.create(project(context), body, idempotencyKey(context)), 201);
    },
    sendMessage: async (context) => {
      refuseWhenStopping();
      const body = await readJson(context.req.raw, promptRequestSchema);
      return created(await jobs.followUp(project(context), id(context), body, idempotencyKey(context)), 200);
    },
    getJob: async (context) => Response.json(await jobs.get(project(context), id(context))),
    listJobs: async (context) => {
      const query = checkQuery(listQuerySchema, context.req.query());
      return Response.json(await jobs.list(project(context), query));
    },
    cancelJob: async (context) => Response.json(await jobs.cancel(project(context), id(context))),
    archiveJob: async (context) => Response.json(await jobs.archive(project(context), id(context))),
    listEvents: async (context) => {
      if (wantsStream(context)) return eventStream(deps, context, project(context), id(context));
      const { limit, cursor } = checkQuery(eventsQuerySchema, context.req.query());
      return Response.json(await jobs.events(project(context), id(context), { after: cursor, limit }));
    },
    getDiff: async (context) =>
      new Response(await jobs.diff(project(context), id(context)), {
        headers: { 'Content-Type': 'text/x-diff; charset=utf-8' },
      }),
    putProject: async (context) => {
      const body = await readJson(context.req.raw, projectRequestSchema);
      return Response.json(await jobs.putProject(project(context), body));
    },
  };
}

function project(context: Context): string {
  return context.req.param('projectId') ?? '';
}

function id(context: Context): string {
  return context.req.param('id') ?? '';
}

function idempotencyKey(context: Context): string | undefined {
  return context.req.header(headers.idempotencyKey);
}

function wantsStream(context: Context): boolean {
  return /\btext\/event-stream\b/i.test(context.req.header('accept') ?? '');
}

function created({ job, replayed }: CreatedJob, status: 200 | 201): Response {
  return Response.json(job, { status, headers: replayed ? { [headers.idempotentReplay]: 'true' } : {} });
}

import { type Context, Hono } from 'hono';
import { openApiDocument } from '../../contract/openapi.ts';
import { operations } from '../../contract/operations.ts';
import { routes } from '../../contract/routes.ts';
import { agentHandlers, type AgentApi, type EditorModelApi } from './agent-handlers.ts';
import { errorResponse, refusal } from './answers.ts';
import { authenticate, type KeyCheck } from './authentication.ts';
import { healthHandlers, type ServiceIdentity } from './health.ts';
import { type JobApi, jobHandlers } from './job-handlers.ts';
import type { App } from './listen.ts';
import { noBrowsers, ownHostOnly, quietHeaders } from './loopback-guard.ts';
import { reviewRoutes } from './review-routes.ts';
import type { Log } from '../../service/ports/log.ts';
import type { Reviews } from '../../service/ports/reviews.ts';
import { RequestError } from '../../service/request-error.ts';
import { ServiceError } from '../../service/service-error.ts';

/** How the process that this app runs in lives and ends. */
export interface Lifecycle {
  /** Fires when the service is on its way out: no new work is taken, open streams end. */
  readonly stopping: AbortSignal;
  /** Begins to stop when no job is active; false when one is. */
  stopWhenIdle(): Promise<boolean>;
  /** Keeps the service from ending for idleness until the answer is disposed. */
  hold(): Disposable;
}

export interface AppDeps {
  readonly jobs: JobApi;
  readonly reviews: Reviews;
  readonly agents: AgentApi;
  readonly editorModels: EditorModelApi;
  readonly keys: KeyCheck;
  readonly identity: ServiceIdentity;
  readonly lifecycle: Lifecycle;
  readonly log: Log;
  /** The port that this service listens on. */
  readonly port: number;
  /** False while the store cannot be read; the answer of `/readyz`. */
  readonly isReady: () => Promise<boolean>;
}

/**
 * The whole HTTP side of the service as one function from Request to Response. Every answer that is no
 * page is JSON, a diff or an event stream; every refusal is `{error, code}` with a sentence.
 */
export function createApp(deps: AppDeps): App {
  const app = new Hono();
  app.use(quietHeaders, ownHostOnly(deps.port));
  app.use('/v2/*', noBrowsers, authenticate(deps.keys));
  app.use('/v2/*', keepAwake(deps.lifecycle));
  app.use('/review/*', keepAwake(deps.lifecycle));

  const handlers: Handlers = {
    ...jobHandlers(deps),
    ...agentHandlers(deps),
    ...healthHandlers(deps),
    getDescription: () => Response.json(openApiDocument(deps.identity.version)),
  };
  // The table that the description is made of is also the router's: neither has what the other lacks.
  const table = operations().map((operation) => ({
    method: operation.method.toUpperCase(),
    path: operation.path.replace(/\{(\w+)\}/g, ':$1'),
    handle: handlerOf(handlers, operation.id),
  }));
  for (const { method, path, handle } of table) app.on(method, path, handle);
  app.route('/review', reviewRoutes(deps));

  // Registered after the operations: only a method that a path does not have comes here.
  for (const path of new Set(table.map((entry) => entry.path))) {
    const allow = table.filter((entry) => entry.path === path).map((entry) => entry.method);
    app.all(path, (context) => wrongMethod(context, allow));
  }
  app.notFound(() => errorResponse('not_found', 'There is nothing at this address. Check the path.'));
  app.onError((error, context) => failure(error, context, deps.log));
  return { fetch: async (request) => app.fetch(request) };
}

/** The answers to the operations of the contract, by their ids. */
export type Handlers = Readonly<Record<string, Handler>>;
export type Handler = (context: Context) => Response | Promise<Response>;

function handlerOf(handlers: Handlers, id: string): Handler {
  const handler = handlers[id];
  if (handler === undefined) throw new Error(`The operation ${id} of the contract has no handler.`);
  return handler;
}

function keepAwake(lifecycle: Lifecycle) {
  return async (context: Context, next: () => Promise<void>): Promise<void> => {
    // A window that asks for work uses nothing: the jobs that it could work for keep the service awake.
    if (context.req.path === routes.nextEditorRequest()) {
      await next();
      return;
    }
    using _hold = lifecycle.hold();
    await next();
  };
}

function wrongMethod(context: Context, allow: readonly string[]): Response {
  const methods = allow.join(', ');
  return errorResponse('invalid_request', `This address takes ${methods}, not ${context.req.method}.`, {
    status: 405,
    headers: { Allow: methods },
  });
}

/** Translates once, logs once. The path is not logged: a review's token is part of it. */
function failure(error: Error, context: Context, log: Log): Response {
  if (error instanceof RequestError) return refusal(error);
  if (context.req.raw.signal.aborted) {
    return errorResponse('invalid_request', 'The request was broken off.');
  }
  const route = `${context.req.method} ${context.req.routePath}`;
  log.error('A request failed', { route, error });
  if (error instanceof ServiceError) {
    return errorResponse('internal', error.message, { status: error.retryable ? 503 : 500 });
  }
  return errorResponse('internal', 'The service has an error of its own. Its log says more.');
}

import * as z from 'zod/v4';
import { eventsQuerySchema, listQuerySchema } from './requests.ts';
import { headers, routes } from './routes.ts';

/** A JSON object of the description; who reads it knows OpenAPI. */
export type Json = Readonly<Record<string, unknown>>;

/** Statuses of refusals, with what they mean here. */
export const refusals = {
  400: 'The request is not valid.',
  401: 'The key is missing, unknown or expired.',
  403: 'The key is not for this.',
  404: 'Not found.',
  409: 'Not possible in the present state.',
  429: 'Too many requests; `Retry-After` tells when to try again.',
  503: 'The service is stopping.',
} as const;

/** One operation of the API as the description tells it. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put';
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly parameters?: readonly Json[];
  /** Name of the request body's schema. */
  readonly body?: string;
  readonly success: { readonly status: number; readonly description: string; readonly content?: Json };
  readonly refusals: readonly (keyof typeof refusals)[];
  /** True for what is answered without a key. */
  readonly open?: boolean;
}

/** Every operation. The first three are the published ones. */
export function operations(): readonly Operation[] {
  const [project, id] = ['{projectId}', '{id}'];
  const job = (status: number, description: string): Operation['success'] => ({
    status,
    description,
    content: jsonOf('AgentJob'),
  });
  return [
    {
      method: 'post',
      path: template(routes.createJob(project)),
      id: 'createJob',
      summary: 'Create a job. It is stored before the answer and runs in the background.',
      parameters: [idempotencyKey],
      body: 'CreateRequest',
      success: job(201, 'The job was created.'),
      refusals: [400, 401, 403, 404, 409, 429, 503],
    },
    {
      method: 'get',
      path: template(routes.job(project, id)),
      id: 'getJob',
      summary: 'Look at a job. Ask again until its status is no longer `active`.',
      success: job(200, 'The job as it is now.'),
      refusals: [401, 403, 404, 429],
    },
    {
      method: 'post',
      path: template(routes.message(project, id)),
      id: 'sendMessage',
      summary: 'Send a follow-up. The job becomes active again and goes on with the same pull request.',
      parameters: [idempotencyKey],
      body: 'PromptRequest',
      success: job(200, 'The follow-up was stored.'),
      refusals: [400, 401, 403, 404, 409, 429, 503],
    },
    {
      method: 'get',
      path: template(routes.jobs(project)),
      id: 'listJobs',
      summary: 'List the jobs of a project, newest first.',
      parameters: queryOf(listQuerySchema),
      success: { status: 200, description: 'One page.', content: jsonOf('JobList') },
      refusals: [400, 401, 403, 404],
    },
    {
      method: 'post',
      path: template(routes.cancel(project, id)),
      id: 'cancelJob',
      summary: 'Stop an active job. It ends `failed` with the error code `cancelled`.',
      success: job(200, 'The job was stopped.'),
      refusals: [401, 403, 404, 409],
    },
    {
      method: 'post',
      path: template(routes.archive(project, id)),
      id: 'archiveJob',
      summary: 'Archive a job that has ended.',
      success: job(200, 'The job is archived.'),
      refusals: [401, 403, 404, 409],
    },
    {
      method: 'get',
      path: template(routes.events(project, id)),
      id: 'listEvents',
      summary: 'What happened to a job, in order; as a stream when `text/event-stream` is accepted.',
      parameters: [...queryOf(eventsQuerySchema), lastEventId],
      success: {
        status: 200,
        description: 'Events after the cursor, or the stream.',
        content: { ...jsonOf('EventList'), 'text/event-stream': { schema: { type: 'string' } } },
      },
      refusals: [400, 401, 403, 404],
    },
    {
      method: 'get',
      path: template(routes.diff(project, id)),
      id: 'getDiff',
      summary: 'The change of a job as a unified diff.',
      success: {
        status: 200,
        description: 'The diff; empty when nothing was changed.',
        content: { 'text/x-diff': { schema: { type: 'string' } } },
      },
      refusals: [401, 403, 404],
    },
    {
      method: 'put',
      path: template(routes.project(project)),
      id: 'putProject',
      summary: 'Tell which repository a project id stands for. May be repeated.',
      body: 'ProjectRequest',
      success: { status: 200, description: 'The project as it is known now.', content: jsonOf('Project') },
      refusals: [400, 401, 403],
    },
    {
      method: 'get',
      path: template(routes.agents()),
      id: 'listAgents',
      summary: 'The agents of the service, also those that are not ready, with the reason.',
      success: { status: 200, description: 'All that are known.', content: jsonOf('AgentList') },
      refusals: [401, 403],
    },
    {
      method: 'put',
      path: template(routes.agents()),
      id: 'putAgents',
      summary: 'Hand over providers with their keys, commands and limits, whole. Kept in memory only.',
      body: 'AgentSettings',
      success: { status: 204, description: 'They replace what was handed over before.' },
      refusals: [400, 401, 403],
    },
    {
      method: 'post',
      path: template(routes.checkProvider()),
      id: 'checkProvider',
      summary: 'Try the address and key of a provider of language models. Nothing of it is kept.',
      body: 'ModelProvider',
      success: { status: 200, description: 'Whether it works.', content: jsonOf('ProviderCheck') },
      refusals: [400, 401, 403],
    },
    {
      method: 'post',
      path: template(routes.nextEditorRequest()),
      id: 'nextEditorRequest',
      summary:
        'Ask for work for the language models of an editor. Held until there is some, for at most 25 seconds.',
      body: 'EditorWindow',
      success: {
        status: 200,
        description: 'One request to a model, or null.',
        content: jsonOf('EditorNext'),
      },
      refusals: [400, 401, 403, 429],
    },
    {
      method: 'post',
      path: template(routes.editorAnswer('{requestId}')),
      id: 'answerEditorRequest',
      summary: 'Bring what a language model of an editor said, or that it still thinks.',
      body: 'EditorAnswer',
      success: { status: 204, description: 'It was taken.' },
      refusals: [400, 401, 403, 404],
    },
    {
      method: 'post',
      path: template(routes.shutdown()),
      id: 'shutDown',
      summary: 'Ask an idle local service to end, so that a newer version can take its place.',
      success: { status: 202, description: 'It ends.' },
      refusals: [401, 403, 409],
    },
    {
      method: 'get',
      path: template(routes.openapi()),
      id: 'getDescription',
      summary: 'This description.',
      success: {
        status: 200,
        description: 'An OpenAPI document.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      refusals: [],
      open: true,
    },
    {
      method: 'get',
      path: template(routes.health()),
      id: 'getHealth',
      summary: 'Whether the process lives. With `challenge`, proof of which process it is.',
      parameters: [{ name: 'challenge', in: 'query', required: false, schema: { type: 'string' } }],
      success: { status: 200, description: 'It lives.', content: jsonOf('Health') },
      refusals: [],
      open: true,
    },
    {
      method: 'get',
      path: template(routes.ready()),
      id: 'getReadiness',
      summary: 'Whether it takes jobs.',
      success: { status: 200, description: 'It does.', content: jsonOf('Health') },
      refusals: [503],
      open: true,
    },
  ];
}

const idempotencyKey: Json = {
  name: headers.idempotencyKey,
  in: 'header',
  required: false,
  description: 'The same key and body get the same answer again; the same key with another body gets 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const lastEventId: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'Resumes a stream after this event.',
  schema: { type: 'string' },
};

/** The routes encode what they are given; the braces of a path template have to come back. */
function template(path: string): string {
  return path.replaceAll('%7B', '{').replaceAll('%7D', '}');
}

export function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

export function jsonOf(name: string): Json {
  return { 'application/json': { schema: ref(name) } };
}

function queryOf(schema: z.ZodObject): Json[] {
  const { properties = {} } = z.toJSONSchema(schema, schemaSettings);
  return Object.entries(properties).map(([name, each]) => ({
    name,
    in: 'query',
    required: false,
    schema: each,
  }));
}

/**
 * `input` leaves objects open: a reader has to accept fields that come later. Date-times are told by
 * their format; the pattern behind it would be 300 characters each time.
 */
export const schemaSettings = {
  io: 'input',
  target: 'draft-2020-12',
  override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
    if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
} as const;

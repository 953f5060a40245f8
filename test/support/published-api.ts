import { Ajv, type ValidateFunction } from 'ajv';
import published from './agent-api-v2.openapi.json' with { type: 'json' };

export { published };

/** What each published operation answers, by its three names in the tests. */
export const publishedOperations = {
  create: { path: '/v2/agent/{projectId}/job', method: 'post', success: '201' },
  get: { path: '/v2/agent/{projectId}/job/{id}', method: 'get', success: '200' },
  message: { path: '/v2/agent/{projectId}/job/{id}/message', method: 'post', success: '200' },
} as const;
export type PublishedOperation = keyof typeof publishedOperations;

export interface PublishedChecks {
  readonly prompt: ValidateFunction;
  readonly agentJob: ValidateFunction;
  readonly error: ValidateFunction;
}

/**
 * Compiled checks of the published schemas. `strict` also refuses fields that are not published and asks
 * for every field, which is how the provider itself answers.
 */
export function publishedChecks(strictness: 'published' | 'strict'): PublishedChecks {
  const ajv = new Ajv({ allErrors: true });
  ajv.addFormat('uri', (text) => URL.canParse(text));
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/);
  const { Prompt, AgentJob, Error: ErrorBody } = published.components.schemas;
  const shaped = (schema: object): ValidateFunction =>
    ajv.compile(strictness === 'strict' ? closed(schema) : schema);
  return { prompt: ajv.compile(Prompt), agentJob: shaped(AgentJob), error: shaped(ErrorBody) };
}

function closed(schema: object): object {
  if (!('properties' in schema)) return schema;
  const properties = Object.entries(schema.properties as Record<string, object>);
  return {
    ...schema,
    additionalProperties: false,
    required: properties.map(([name]) => name),
    properties: Object.fromEntries(properties.map(([name, each]) => [name, closed(each)])),
  };
}

import * as z from 'zod/v4';
import { agentListSchema, agentSettingsSchema, modelProviderSchema, providerCheckSchema } from './agents.ts';
import { editorAnswerSchema, editorNextSchema, editorWindowSchema } from './editor-models.ts';
import { eventListSchema, jobEventSchema } from './events.ts';
import { agentJobSchema } from './job.ts';
import {
  jsonOf,
  operations,
  ref,
  refusals,
  schemaSettings,
  type Json,
  type Operation,
} from './operations.ts';
import { projectIdSchema, projectRequestSchema, projectSchema } from './project.ts';
import {
  createRequestSchema,
  errorBodySchema,
  healthSchema,
  jobListSchema,
  promptRequestSchema,
} from './requests.ts';

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Json;
  readonly security: readonly Json[];
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>>; readonly securitySchemes: Json };
}

/**
 * The description of the API in OpenAPI 3.1, generated from the schemas and routes that both sides run on.
 * The three published operations are described as they are published; the others are additions.
 */
export function openApiDocument(version: string): OpenApiDocument {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations()) {
    (paths[operation.path] ??= {})[operation.method] = describe(operation);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Docs Agent job service',
      version,
      description:
        'Background jobs that change a docs project and open a pull request: Agent Job API, version 2.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    security: [{ bearerAuth: [] }],
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        bearerAuth: { type: 'http', scheme: 'bearer', description: 'An API key of the service.' },
      },
    },
  };
}

function describe(operation: Operation): Json {
  const named = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'projectId' ? ref('ProjectId') : { type: 'string' },
  }));
  const parameters = [...named, ...(operation.parameters ?? [])];
  const { status, description, content } = operation.success;
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.open === true ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonOf(operation.body) } }),
    responses: {
      [status]: { description, ...(content === undefined ? {} : { content }) },
      ...Object.fromEntries(
        operation.refusals.map((code) => [code, { description: refusals[code], content: jsonOf('Error') }]),
      ),
    },
  };
}

function componentSchemas(): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  registry.add(agentJobSchema, { id: 'AgentJob' });
  registry.add(createRequestSchema, { id: 'CreateRequest' });
  registry.add(promptRequestSchema, { id: 'PromptRequest' });
  registry.add(errorBodySchema, { id: 'Error' });
  registry.add(jobListSchema, { id: 'JobList' });
  registry.add(jobEventSchema, { id: 'JobEvent' });
  registry.add(eventListSchema, { id: 'EventList' });
  registry.add(projectIdSchema, { id: 'ProjectId' });
  registry.add(projectSchema, { id: 'Project' });
  registry.add(projectRequestSchema, { id: 'ProjectRequest' });
  registry.add(healthSchema, { id: 'Health' });
  registry.add(agentListSchema, { id: 'AgentList' });
  registry.add(agentSettingsSchema, { id: 'AgentSettings' });
  registry.add(modelProviderSchema, { id: 'ModelProvider' });
  registry.add(providerCheckSchema, { id: 'ProviderCheck' });
  registry.add(editorWindowSchema, { id: 'EditorWindow' });
  registry.add(editorNextSchema, { id: 'EditorNext' });
  registry.add(editorAnswerSchema, { id: 'EditorAnswer' });
  const { schemas } = z.toJSONSchema(registry, {
    ...schemaSettings,
    uri: (id) => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _dialect, $id: _place, ...schema }]) => [name, schema]),
  );
}

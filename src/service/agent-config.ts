import * as z from 'zod/v4';
import {
  acpCommandSchema,
  agentIdSchema,
  modelProviderSchema,
  rulesAgentId,
  usageLimitsSchema,
  type ModelProvider,
} from '../contract/agents.ts';

/** A provider as the configuration names it: its key stands in the environment, never in a file. */
const providerSchema = z.strictObject({
  ...modelProviderSchema.omit({ apiKey: true }).shape,
  apiKeyVariable: z
    .string()
    .regex(/^[A-Za-z_]\w{0,99}$/, 'This is the name of an environment variable.')
    .optional(),
});

/** What a configuration says about agents. `environment` is where the keys are. */
export function agentConfigSchema(environment: Readonly<Record<string, string | undefined>>) {
  return z
    .strictObject({
      /** The agent of jobs that ask for none. */
      default: agentIdSchema.default(rulesAgentId),
      /**
       * Whether whoever has an API key may hand over providers and commands. Commands are programs of this machine,
       * and addresses are asked from here: on a server that several people use, say no.
       */
      handOver: z.boolean().default(true),
      providers: z
        .array(providerSchema.transform((provider, context) => withKey(provider, context, environment)))
        .max(50)
        .default([])
        .refine(haveOwnIds, 'Each provider has an id of its own.'),
      commands: z
        .array(z.strictObject(acpCommandSchema.shape))
        .max(50)
        .default([])
        .refine(haveOwnIds, 'Each command has an id of its own.'),
      limits: z.strictObject(usageLimitsSchema.shape).default({}),
    })
    .refine(
      ({ default: id, providers }) =>
        !id.startsWith('model:') || providers.some((provider) => isOf(provider, id)),
      { path: ['default'], message: 'The default agent is a model of one of the providers.' },
    )
    .prefault({});
}

function withKey(
  { apiKeyVariable, ...provider }: z.output<typeof providerSchema>,
  context: z.RefinementCtx,
  environment: Readonly<Record<string, string | undefined>>,
): ModelProvider {
  const refuse = (message: string): never => {
    context.addIssue({ code: 'custom', path: ['apiKeyVariable'], message });
    return z.NEVER;
  };
  if (apiKeyVariable === undefined) {
    return provider.kind === 'anthropic'
      ? refuse('This kind of provider needs a key: name the environment variable that holds it.')
      : provider;
  }
  // Own properties only: process.env inherits names such as `constructor`.
  const apiKey = Object.hasOwn(environment, apiKeyVariable) ? environment[apiKeyVariable]?.trim() : undefined;
  if (!apiKey) return refuse(`The environment variable ${apiKeyVariable} is not set.`);
  return { ...provider, apiKey };
}

function haveOwnIds(all: readonly { readonly id: string }[]): boolean {
  return new Set(all.map(({ id }) => id)).size === all.length;
}

function isOf({ id, models }: ModelProvider, agentId: string): boolean {
  const prefix = `model:${id}/`;
  return agentId.startsWith(prefix) && (models.length === 0 || models.includes(agentId.slice(prefix.length)));
}

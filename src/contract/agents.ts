import * as z from 'zod/v4';

/**
 * Which agents a service of ours has, and what the editor hands over so that it can use more of them.
 * Hosted providers know none of this.
 */
export const agentKinds = ['rules', 'model', 'acp', 'editor'] as const;
export type AgentKind = (typeof agentKinds)[number];

/** The agent that needs no model, no network and no key. */
export const rulesAgentId = 'rules';

/**
 * `rules`, `model:PROVIDER/MODEL`, `acp:COMMAND`, or `editor:MODEL` for a language model of the editor.
 * Providers and commands go by their own short ids, models by whatever their provider calls them.
 */
export const agentIdSchema = z
  .string()
  .max(300)
  .regex(
    /^(?:rules|(?:model:[a-z0-9][a-z0-9-]{0,39}\/|editor:)[\x21-\x7e]{1,200}|acp:[a-z0-9][a-z0-9-]{0,39})$/,
    'This is no agent. Choose one again.',
  );

/** Short name of a provider or a command in an agent's id. */
const shortId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'An id has small letters, digits and dashes.');

const line = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}]*$/u, 'This is one line.');

/** An endpoint with language models. */
export const modelProviderSchema = z.object({
  id: shortId,
  /** For people, such as `Ollama`. */
  name: line(60),
  kind: z.enum(['openai-compatible', 'anthropic']),
  /** Up to and with the version, for example `http://127.0.0.1:11434/v1`. */
  baseUrl: z.url({ protocol: /^https?$/ }).max(2048),
  /** The models that may be chosen, as the endpoint calls them. */
  models: z.array(line(200)).max(200),
  /** Kept in memory only, never stored, never answered. */
  apiKey: z.string().min(1).max(4096).optional(),
  /** What a million tokens cost, in any one currency; without it there is no limit on cost. */
  price: z.object({ input: z.number().nonnegative(), output: z.number().nonnegative() }).optional(),
});
export type ModelProvider = z.infer<typeof modelProviderSchema>;

/** An agent of the user's own machine that speaks the Agent Client Protocol over its standard streams. */
export const acpCommandSchema = z.object({
  id: shortId,
  name: line(60),
  /** A program on the path, or the absolute path of one. Never a shell line. */
  command: line(1024),
  args: z.array(z.string().max(1024)).max(50),
  /** Names of variables of the service's own environment that it gets beside the harmless ones. */
  passVariables: z
    .array(z.string().regex(/^[A-Za-z_]\w{0,99}$/))
    .max(50)
    .default([]),
});
export type AcpCommand = z.infer<typeof acpCommandSchema>;

/** How much a model agent may use up: steps for one answer, tokens and cost for one message. Absent: the service's own limits. */
export const usageLimitsSchema = z.object({
  steps: z.int().min(1).max(1000).optional(),
  /** Input and output together. */
  tokens: z.int().min(1000).optional(),
  /** In the currency of the provider's `price`. */
  cost: z.number().positive().optional(),
});
export type UsageLimits = z.infer<typeof usageLimitsSchema>;

/** Everything that the editor hands over, each time whole: it replaces what was known. Kept in memory only. */
export const agentSettingsSchema = z.object({
  providers: z.array(modelProviderSchema).max(50),
  /** Beside the agents that the service finds by itself. */
  commands: z.array(acpCommandSchema).max(50),
  limits: usageLimitsSchema.default({}),
});
export type AgentSettings = z.infer<typeof agentSettingsSchema>;

export const agentInfoSchema = z.object({
  id: agentIdSchema,
  kind: z.enum(agentKinds),
  /** For people: `Claude Code`, `gpt-5 (OpenAI)`. */
  name: z.string(),
  ready: z.boolean(),
  /** One sentence: what it is when it is ready, why it is not and what to do when it is not. */
  detail: z.string(),
});
export type AgentInfo = z.infer<typeof agentInfoSchema>;

export const agentListSchema = z.object({
  agents: z.array(agentInfoSchema),
  /** False until the editor has handed its settings over since the service began. */
  handedOver: z.boolean(),
});
export type AgentList = z.infer<typeof agentListSchema>;

/** What a provider answered when its key and address were tried. Nothing of it is kept. */
export const providerCheckSchema = z.object({
  ok: z.boolean(),
  /** One sentence: what to do when it is not. */
  message: z.string(),
  /** It was reached, and refused for want of a key that it takes. */
  wantsKey: z.boolean().optional(),
  /** What it offers, as far as it tells. */
  models: z.array(z.string()),
});
export type ProviderCheck = z.infer<typeof providerCheckSchema>;

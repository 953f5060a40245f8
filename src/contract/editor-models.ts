import * as z from 'zod/v4';

/**
 * How a service of ours uses the language models of an editor. The editor asks for work, because nobody can
 * call into it: `next` waits until there is some, `answer` brings what the model said.
 */
export const editorModelSchema = z.object({
  /** The editor's own id, as in the agent's `editor:ID`. */
  id: z.string().min(1).max(200),
  name: z.string().max(200),
  vendor: z.string().max(100),
  maxInputTokens: z.int().positive(),
});
export type EditorModel = z.infer<typeof editorModelSchema>;

/** Body of `next`. A window that no longer asks has gone. */
export const editorWindowSchema = z.object({
  /** Unguessable, one for each window's life. */
  window: z.string().min(16).max(100),
  models: z.array(editorModelSchema).max(100),
  /**
   * The requests that it is answering now, by their ids. One that the service has handed to it and that is not
   * among them has got lost on its way, and is handed out again.
   */
  working: z.array(z.string().max(100)).max(100).optional(),
});
export type EditorWindow = z.infer<typeof editorWindowSchema>;

const textPart = z.object({ type: z.literal('text'), text: z.string() });
const toolCallPart = z.object({
  type: z.literal('tool-call'),
  callId: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});
const toolResultPart = z.object({ type: z.literal('tool-result'), callId: z.string(), text: z.string() });

/** One request to a model. There is no system role in the editor: the first user message holds it. */
export const editorRequestSchema = z.object({
  id: z.string(),
  model: z.string(),
  messages: z.array(
    z.object({
      role: z.enum(['user', 'assistant']),
      parts: z.array(z.discriminatedUnion('type', [textPart, toolCallPart, toolResultPart])),
    }),
  ),
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      inputSchema: z.record(z.string(), z.unknown()),
    }),
  ),
});
export type EditorRequest = z.infer<typeof editorRequestSchema>;

/** Answer of `next`; `request` is null when nothing came within the time that a request may take. */
export const editorNextSchema = z.object({ request: editorRequestSchema.nullable() });
export type EditorNext = z.infer<typeof editorNextSchema>;

/** `progress` keeps the request alive while the model thinks; the others end it. */
export const editorAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress') }),
  z.object({
    kind: z.literal('done'),
    parts: z.array(z.discriminatedUnion('type', [textPart, toolCallPart])),
  }),
  z.object({
    kind: z.literal('failed'),
    /** `no_permission`: the person said no to the editor's question. */
    code: z.enum(['no_permission', 'not_found', 'blocked', 'quota', 'other']),
    message: z.string().max(2000),
  }),
]);
export type EditorAnswer = z.infer<typeof editorAnswerSchema>;

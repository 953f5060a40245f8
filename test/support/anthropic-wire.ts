import * as z from 'zod/v4';
import type { SseEvent, Wire } from './scripted-model.ts';
import { argumentsOf, pieces, type Refusal, type SeenMessage } from './scripted-turns.ts';

const cacheControl = z.unknown().optional();
const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string().regex(/\S/, 'text content blocks must contain non-whitespace text'),
  cache_control: cacheControl,
});
const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[\w-]+$/),
  name: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
  cache_control: cacheControl,
});
const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(/^[\w-]+$/),
  content: z.union([z.string(), z.array(textBlock)]),
  is_error: z.boolean().optional(),
  cache_control: cacheControl,
});
const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    content: z.union([
      z.string().min(1),
      z.array(z.discriminatedUnion('type', [textBlock, toolResult])).min(1),
    ]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string().min(1), z.array(z.discriminatedUnion('type', [textBlock, toolUse])).min(1)]),
  }),
]);
type Message = z.infer<typeof messageSchema>;

const bodySchema = z.strictObject({
  model: z.string(),
  max_tokens: z.int().positive(),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  messages: z.array(messageSchema).min(1),
  stream: z.boolean().optional(),
  tools: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[\w-]{1,128}$/),
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal('object') }),
        cache_control: cacheControl,
        eager_input_streaming: z.boolean().optional(),
        strict: z.boolean().optional(),
      }),
    )
    .optional(),
  tool_choice: z.unknown().optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().optional(),
  top_k: z.int().optional(),
  stop_sequences: z.array(z.string()).optional(),
  metadata: z.unknown().optional(),
  thinking: z.unknown().optional(),
});

const badRequest = (message: string): Refusal => ({ status: 400, message, type: 'invalid_request_error' });

/** The messages interface of Anthropic. */
export const anthropicWire: Wire = {
  path: '/v1/messages',
  keyOf: (headers) => {
    const key = headers['x-api-key'];
    return typeof key === 'string' ? key : undefined;
  },
  wrongKey: { status: 401, message: 'invalid x-api-key', type: 'authentication_error' },
  unknownModel: (model) => ({ status: 404, message: `model: ${model}`, type: 'not_found_error' }),
  tooLarge: (tokens, most) => badRequest(`prompt is too long: ${tokens} tokens > ${most} maximum`),
  errorBody: ({ message, type }) => ({ type: 'error', error: { type, message }, request_id: 'req_1' }),
  models: (ids) => ({
    data: ids.map((id) => ({ type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' })),
    has_more: false,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
  }),

  read(body, headers) {
    if (headers['anthropic-version'] === undefined)
      return badRequest('anthropic-version: header is required');
    const parsed = bodySchema.safeParse(body);
    if (!parsed.success) return badRequest(z.prettifyError(parsed.error));
    const { messages, system, tools } = parsed.data;
    const disorder = disorderIn(messages, tools !== undefined && tools.length > 0);
    if (disorder !== undefined) return badRequest(disorder);
    return {
      wire: 'anthropic',
      model: parsed.data.model,
      system: typeof system === 'string' ? system : (system ?? []).map(({ text }) => text).join('\n'),
      messages: messages.map(seen),
      tools: tools?.map(({ name }) => name) ?? [],
      stream: parsed.data.stream ?? false,
    };
  },

  *stream(turn, model, usage): Generator<SseEvent> {
    const event = (name: string, value: object): SseEvent => ({
      event: name,
      data: JSON.stringify({ type: name, ...value }),
    });
    yield event('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: usage.input, output_tokens: 1 },
      },
    });
    yield event('ping', {});
    let index = 0;
    if (turn.text !== '') {
      yield event('content_block_start', { index, content_block: { type: 'text', text: '' } });
      for (const text of pieces(turn.text)) {
        yield event('content_block_delta', { index, delta: { type: 'text_delta', text } });
      }
      if (turn.stop === undefined) return;
      yield event('content_block_stop', { index });
      index += 1;
    }
    for (const call of turn.calls) {
      const block = { type: 'tool_use', id: call.id, name: call.name, input: {} };
      yield event('content_block_start', { index, content_block: block });
      for (const text of pieces(argumentsOf(call))) {
        yield event('content_block_delta', {
          index,
          delta: { type: 'input_json_delta', partial_json: text },
        });
      }
      yield event('content_block_stop', { index });
      index += 1;
    }
    if (turn.stop === undefined) return;
    yield event('message_delta', {
      delta: { stop_reason: stopReasons[turn.stop], stop_sequence: null },
      usage: { output_tokens: usage.output },
    });
    yield event('message_stop', {});
  },
  lateError: (refusal) => ({ event: 'error', data: JSON.stringify(anthropicWire.errorBody(refusal)) }),

  whole: (turn, model, usage) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(turn.text === '' ? [] : [{ type: 'text', text: turn.text }]),
      ...turn.calls.map((call) => ({
        type: 'tool_use',
        id: call.id,
        name: call.name,
        input: typeof call.input === 'string' ? {} : call.input,
      })),
    ],
    stop_reason: stopReasons[turn.stop ?? 'end'],
    stop_sequence: null,
    usage: { input_tokens: usage.input, output_tokens: usage.output },
  }),
};

const stopReasons = { end: 'end_turn', length: 'max_tokens', calls: 'tool_use', refused: 'refusal' } as const;

type Block = Exclude<Message['content'], string>[number];

const blocksOf = (message: Message): readonly Block[] =>
  typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;

function seen(message: Message): SeenMessage {
  const blocks = blocksOf(message);
  const results = blocks.flatMap((block) =>
    block.type === 'tool_result'
      ? [
          {
            id: block.tool_use_id,
            text:
              typeof block.content === 'string'
                ? block.content
                : block.content.map(({ text }) => text).join(''),
          },
        ]
      : [],
  );
  return {
    role: results.length > 0 ? 'tool' : message.role,
    text: blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''),
    calls: blocks.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
    ),
    results,
  };
}

function disorderIn(messages: readonly Message[], hasTools: boolean): string | undefined {
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  for (const [index, message] of messages.entries()) {
    const asked =
      index === 0 ? [] : blocksOf(messages[index - 1]!).filter((block) => block.type === 'tool_use');
    const answered = blocksOf(message).filter((block) => block.type === 'tool_result');
    if ((asked.length > 0 || answered.length > 0) && !hasTools) {
      return 'Requests which include `tool_use` or `tool_result` blocks must define tools';
    }
    const missing = asked.filter(({ id }) => !answered.some((answer) => answer.tool_use_id === id));
    if (missing.length > 0) {
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.map(({ id }) => id).join(', ')}`;
    }
    const unasked = answered.filter((answer) => !asked.some(({ id }) => answer.tool_use_id === id));
    if (unasked.length > 0) {
      return `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unasked.map((answer) => answer.tool_use_id).join(', ')}`;
    }
    if (new Set(answered.map((answer) => answer.tool_use_id)).size < answered.length) {
      return `messages.${index}: each tool_use must have a single result`;
    }
  }
  const last = messages.at(-1)!;
  if (blocksOf(last).some((block) => block.type === 'tool_use')) {
    return '`tool_use` ids were found without `tool_result` blocks immediately after.';
  }
  return last.role === 'assistant' ? 'This model does not support assistant message prefill.' : undefined;
}

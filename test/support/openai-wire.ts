import * as z from 'zod/v4';
import type { SseEvent, Wire } from './scripted-model.ts';
import { argumentsOf, pieces, type Refusal, type SeenMessage, type SeenRequest } from './scripted-turns.ts';

const textParts = z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).min(1);
const content = z.union([z.string(), textParts]);

const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content, name: z.string().optional() }),
  z.strictObject({ role: z.literal('user'), content, name: z.string().optional() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: content.nullish(),
    reasoning_content: z.string().optional(),
    tool_calls: z
      .array(
        z.strictObject({
          id: z.string().min(1),
          type: z.literal('function'),
          function: z.strictObject({ name: z.string().min(1), arguments: z.string() }),
        }),
      )
      .min(1)
      .optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string().min(1), content }),
]);

const bodySchema = z.strictObject({
  model: z.string(),
  messages: z.array(messageSchema).min(1),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string().regex(/^[\w-]{1,64}$/),
          description: z.string().optional(),
          parameters: z.looseObject({
            type: z.literal('object'),
            properties: z.record(z.string(), z.unknown()),
          }),
          strict: z.boolean().optional(),
        }),
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().optional(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().optional(),
  stop: z.unknown().optional(),
  seed: z.int().optional(),
  frequency_penalty: z.number().optional(),
  presence_penalty: z.number().optional(),
  response_format: z.unknown().optional(),
  reasoning_effort: z.string().optional(),
  user: z.string().optional(),
});
type Message = z.infer<typeof messageSchema>;

const badRequest = (message: string): Refusal => ({ status: 400, message, type: 'invalid_request_error' });

/** Chat completions as OpenAI and the servers that speak like it have them. */
export const openaiWire: Wire = {
  path: '/v1/chat/completions',
  keyOf: (headers) => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1],
  wrongKey: {
    status: 401,
    message: 'Incorrect API key provided. You can find your API key at your account page.',
    type: 'invalid_request_error',
    code: 'invalid_api_key',
  },
  unknownModel: (model) => ({
    status: 404,
    message: `The model \`${model}\` does not exist or you do not have access to it.`,
    type: 'invalid_request_error',
    code: 'model_not_found',
  }),
  tooLarge: (tokens, most) => ({
    status: 400,
    message: `This model's maximum context length is ${most} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  }),
  errorBody: ({ message, type, code }) => ({ error: { message, type, param: null, code: code ?? null } }),
  models: (ids) => ({
    object: 'list',
    data: ids.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'tests' })),
  }),

  read(body, headers) {
    if (headers['content-type']?.split(';')[0] !== 'application/json') {
      return badRequest('The content type is not application/json.');
    }
    const parsed = bodySchema.safeParse(body);
    if (!parsed.success) return badRequest(`Invalid request: ${z.prettifyError(parsed.error)}`);
    const { messages } = parsed.data;
    const disorder = disorderIn(messages);
    if (disorder !== undefined) return badRequest(disorder);
    return {
      wire: 'openai',
      model: parsed.data.model,
      system: messages.filter(isSystem).map(textOf).join('\n'),
      messages: messages.filter((message) => !isSystem(message)).map(seen),
      tools: parsed.data.tools?.map((tool) => tool.function.name) ?? [],
      stream: parsed.data.stream ?? false,
    } satisfies SeenRequest;
  },

  *stream(turn, model, usage): Generator<SseEvent> {
    const chunk = (delta: object, finish: string | null = null): SseEvent => ({
      data: JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model,
        choices: [{ index: 0, delta, finish_reason: finish }],
      }),
    });
    yield chunk({ role: 'assistant', content: '' });
    for (const text of pieces(turn.text)) yield chunk({ content: text });
    for (const [index, call] of turn.calls.entries()) {
      yield chunk({
        tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }],
      });
      for (const text of pieces(argumentsOf(call))) {
        yield chunk({ tool_calls: [{ index, function: { arguments: text } }] });
      }
    }
    if (turn.stop === undefined) return;
    const finishes = {
      end: 'stop',
      length: 'length',
      calls: 'tool_calls',
      refused: 'content_filter',
    } as const;
    yield chunk({}, finishes[turn.stop]);
    yield {
      data: JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model,
        choices: [],
        usage: {
          prompt_tokens: usage.input,
          completion_tokens: usage.output,
          total_tokens: usage.input + usage.output,
        },
      }),
    };
    yield { data: '[DONE]' };
  },
  lateError: (refusal) => ({ data: JSON.stringify(openaiWire.errorBody(refusal)) }),

  whole: (turn, model, usage) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: turn.text === '' ? null : turn.text,
          ...(turn.calls.length > 0 && {
            tool_calls: turn.calls.map((call) => ({
              id: call.id,
              type: 'function',
              function: { name: call.name, arguments: argumentsOf(call) },
            })),
          }),
        },
        finish_reason:
          turn.calls.length > 0 ? 'tool_calls' : turn.stop === 'refused' ? 'content_filter' : 'stop',
      },
    ],
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
    },
  }),
};

const isSystem = (message: Message): boolean => message.role === 'system' || message.role === 'developer';

function textOf(message: Message): string {
  const { content: value } = message;
  if (value == null) return '';
  return typeof value === 'string' ? value : value.map(({ text }) => text).join('');
}

function seen(message: Message): SeenMessage {
  if (message.role === 'tool') {
    return {
      role: 'tool',
      text: '',
      calls: [],
      results: [{ id: message.tool_call_id, text: textOf(message) }],
    };
  }
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return {
    role: message.role === 'assistant' ? 'assistant' : 'user',
    text: textOf(message),
    calls: calls.map((call) => ({
      id: call.id,
      name: call.function.name,
      input: JSON.parse(call.function.arguments) as unknown,
    })),
    results: [],
  };
}

/** What real endpoints refuse in the order of messages. */
function disorderIn(messages: readonly Message[]): string | undefined {
  let open = new Set<string>();
  let begun = false;
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) {
        return `Messages with role 'tool' must be a response to a preceding message with 'tool_calls': ${message.tool_call_id}`;
      }
      continue;
    }
    if (open.size > 0) return unanswered(open);
    if (isSystem(message)) {
      if (begun) return 'System message must be at the beginning.';
      continue;
    }
    if (!begun && message.role !== 'user') return 'The first message must have the role user.';
    begun = true;
    if (message.role !== 'assistant') continue;
    if (message.tool_calls === undefined && textOf(message) === '') return 'An assistant message is empty.';
    for (const call of message.tool_calls ?? []) {
      if (!isObjectText(call.function.arguments)) return `Invalid tool call arguments in ${call.id}.`;
      if (open.has(call.id)) return `Two calls have the id ${call.id}.`;
      open = open.add(call.id);
    }
  }
  if (open.size > 0) return unanswered(open);
  if (!begun) return 'There is no message of the user.';
  return undefined;
}

const unanswered = (open: ReadonlySet<string>): string =>
  `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`;

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

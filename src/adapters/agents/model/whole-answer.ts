import * as z from 'zod/v4';
import type { ModelProvider } from '../../../contract/agents.ts';

/** Statuses of an error that some gateways tell in the body alone. */
const errorStatus = z.coerce.number().int().min(400).max(599);

const refusalSchema = z.union([
  z.object({ error: z.looseObject({ code: errorStatus }) }).transform(({ error }) => error.code),
  z.object({ error: z.looseObject({ status: errorStatus }) }).transform(({ error }) => error.status),
  z.object({ error: z.union([z.string().min(1), z.looseObject({})]) }).transform(() => 400),
]);

const wholeSchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({ tool_calls: z.array(z.looseObject({})).nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
});

/**
 * The answer to a request for a stream, as a stream. Some gateways send it in one piece; some say with a status of
 * 200 what is wrong, which becomes an error with its status. Others are handed on as they are.
 *
 * @param answer bounded, because an answer in one piece is read whole
 */
export async function inStream(answer: Response, kind: ModelProvider['kind']): Promise<Response> {
  const { ok, headers, status } = answer;
  if (!ok || !/\bjson\b/i.test(headers.get('content-type') ?? '')) return answer;
  const text = await answer.text();
  const body = jsonIn(text);
  const refusal = refusalSchema.safeParse(body);
  if (refusal.success) return new Response(text, { status: refusal.data, headers });
  const whole = kind === 'openai-compatible' ? wholeSchema.safeParse(body) : undefined;
  if (whole?.success !== true) return new Response(text, { status, headers });
  const events = `data: ${JSON.stringify(asChunk(whole.data))}\n\ndata: [DONE]\n\n`;
  return new Response(events, { status, headers: { 'content-type': 'text/event-stream' } });
}

/** One chunk that holds everything. Calls of a stream have an index, those of a whole answer have not. */
function asChunk({ choices, ...rest }: z.infer<typeof wholeSchema>): object {
  return {
    ...rest,
    choices: choices
      .slice(0, 1)
      .map(({ message: { tool_calls: calls, ...message }, finish_reason: end }) => ({
        index: 0,
        delta: {
          ...message,
          ...(calls != null && { tool_calls: calls.map((call, index) => ({ ...call, index })) }),
        },
        finish_reason: end,
      })),
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import * as z from 'zod/v4';

/** One message and what came of it, as text alone: page contents and calls of tools are read and made anew. */
export interface Turn {
  readonly asked: string;
  readonly did: string;
}

/** Bytes of a stored conversation. It stands in the job's record. */
export const maxConversation = 100_000;
/** Of one message or answer in it. */
const maxText = 12_000;
/** Messages that are told again: what came before them is in the pages. */
const maxTurns = 20;

const conversationSchema = z.strictObject({
  agent: z.literal('model'),
  version: z.literal(1),
  turns: z
    .array(z.strictObject({ asked: z.string().max(maxText), did: z.string().max(maxText) }))
    .max(maxTurns),
});

/**
 * A conversation as text, at most {@link maxConversation} bytes: the oldest turns go first.
 *
 * @param redact blanks out secrets
 */
export function conversationText(turns: readonly Turn[], redact: (text: string) => string): string {
  let kept = turns
    .slice(-maxTurns)
    .map(({ asked, did }) => ({ asked: bounded(redact(asked)), did: bounded(redact(did)) }));
  for (;;) {
    const text = JSON.stringify({ agent: 'model', version: 1, turns: kept });
    if (Buffer.byteLength(text) <= maxConversation) return text;
    kept = kept.slice(1);
  }
}

/** The turns of a stored conversation; undefined when it is damaged or another agent's. */
export function turnsOf(text: string | undefined): readonly Turn[] | undefined {
  if (text === undefined || text.length > maxConversation) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = conversationSchema.safeParse(value);
  return parsed.success ? parsed.data.turns : undefined;
}

function bounded(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText - 1).toWellFormed()}…`;
}

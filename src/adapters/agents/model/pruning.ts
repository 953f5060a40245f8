import type { ModelMessage, ToolModelMessage } from 'ai';

/** Shorter answers of tools stay as they are: little is won. */
const shortOutput = 400;
/** What stays of a long one, in characters: enough to know what it was. */
const keptOutput = 160;
const shortenedMark = '[Shortened to save room. Use the tool again if you need it.]';

/**
 * Messages with the older answers of tools shortened. Calls and answers stay paired, as endpoints demand.
 *
 * @param recent so many of the last answers of tools stay whole, up to `longest` characters each
 */
export function shortened(
  messages: readonly ModelMessage[],
  recent: number,
  longest: number,
): ModelMessage[] {
  const answers = messages.filter((message) => message.role === 'tool');
  const whole = new Set(recent === 0 ? [] : answers.slice(-recent));
  return messages.map((message) => {
    if (message.role === 'tool') return withShortOutputs(message, whole.has(message) ? longest : keptOutput);
    if (message.role === 'assistant') return withShortInputs(message, longest);
    return message;
  });
}

function withShortOutputs(message: ToolModelMessage, most: number): ToolModelMessage {
  return {
    ...message,
    content: message.content.map((part) => {
      if (part.type !== 'tool-result' || part.output.type !== 'text') return part;
      const { value } = part.output;
      if (value.length <= Math.max(most, shortOutput)) return part;
      const text = `${value.slice(0, most).toWellFormed()}\n${shortenedMark}`;
      return { ...part, output: { type: 'text' as const, value: text } };
    }),
  };
}

/** What a model wrote into a page stands in its call once more: the file itself has it. */
function withShortInputs(message: ModelMessage, most: number): ModelMessage {
  if (message.role !== 'assistant' || typeof message.content === 'string') return message;
  return {
    ...message,
    content: message.content.map((part) =>
      part.type === 'tool-call' && JSON.stringify(part.input).length > most
        ? { ...part, input: shortInput(part.input) }
        : part,
    ),
  };
}

function shortInput(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return {};
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      if (typeof value === 'string') {
        return [name, value.length > keptOutput ? `${value.slice(0, keptOutput).toWellFormed()} […]` : value];
      }
      return [name, JSON.stringify(value).length > shortOutput ? '[…]' : (value as unknown)];
    }),
  );
}

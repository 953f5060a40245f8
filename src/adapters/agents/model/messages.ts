import type { AssistantModelMessage, ModelMessage } from 'ai';
import { finishName } from './finish.ts';
import type { AskedCall, StepAnswer } from './model-step.ts';
import { userMessage } from './opening.ts';

/** Every endpoint takes names and ids like these; a model may make up any. */
const safeName = (name: string): string => name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unknown';

type Parts = Exclude<AssistantModelMessage['content'], string>;

/** An answer as it can go back to any endpoint, and its calls with the ids that they have there. */
export interface CleanAnswer {
  readonly message: AssistantModelMessage | undefined;
  readonly calls: readonly AskedCall[];
}

/**
 * Makes an answer fit to be sent back: calls with names, ids and arguments that endpoints take, each id once, no
 * empty texts, and without the call that ends the work, which nothing answers.
 *
 * @param taken ids of calls that went before; new ones are added
 */
export function cleanAnswer(answer: StepAnswer, taken: Set<string>): CleanAnswer {
  const said = answer.message?.content ?? [];
  const parts: Parts = [];
  const calls: AskedCall[] = [];
  const seen = new Map<string, number>();
  for (const part of typeof said === 'string' ? [{ type: 'text' as const, text: said }] : said) {
    if (part.type === 'text' && part.text.trim() !== '') parts.push(part);
    if (part.type === 'reasoning') parts.push(part);
    if (part.type !== 'tool-call' || part.toolName === finishName) continue;
    // Calls of one answer with one id come in the same order here and there.
    const nth = seen.get(part.toolCallId) ?? 0;
    seen.set(part.toolCallId, nth + 1);
    const call = answer.calls.filter(({ id }) => id === part.toolCallId)[nth];
    const name = safeName(part.toolName);
    const id = freeId(part.toolCallId, taken);
    parts.push({ ...part, toolCallId: id, toolName: name, input: call?.input ?? {} });
    calls.push({ id, name, input: call?.input });
  }
  const full = parts.some(({ type }) => type === 'text' || type === 'tool-call');
  return { message: full ? { role: 'assistant', content: parts } : undefined, calls };
}

function freeId(id: string, taken: Set<string>): string {
  const clean = id.replace(/[^\w-]/g, '_').slice(0, 60) || 'call';
  let free = clean;
  for (let n = 2; taken.has(free); n += 1) free = `${clean}_${n}`;
  taken.add(free);
  return free;
}

/**
 * Something said by us at the end of the messages. Behind an answer of a tool it becomes a part of it: some
 * endpoints take no message of a person there.
 */
export function withWords(messages: readonly ModelMessage[], words: string): ModelMessage[] {
  const last = messages.at(-1);
  const before = messages.slice(0, -1);
  if (last?.role === 'user' && typeof last.content === 'string') {
    return [...before, userMessage(`${last.content}\n\n${words}`)];
  }
  const result = last?.role === 'tool' ? last.content.at(-1) : undefined;
  if (last?.role === 'tool' && result?.type === 'tool-result' && result.output.type === 'text') {
    const output = { type: 'text' as const, value: `${result.output.value}\n\n${words}` };
    return [...before, { ...last, content: [...last.content.slice(0, -1), { ...result, output }] }];
  }
  return [...messages, userMessage(words)];
}

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { streamText, type AssistantModelMessage, type ModelMessage, type ToolSet } from 'ai';
import type { Clock } from '../../../service/clock.ts';
import { endlessAnswer } from './bounded-answer.ts';
import { AnswerBroken, StreamIdle } from './endpoint-errors.ts';
import type { Usage } from './usage-meter.ts';

/** Times of one request, in milliseconds. */
export interface StepTimes {
  /** Until the first word: a model on a laptop reads a long prompt for minutes. */
  readonly firstMs: number;
  /** Between two signs of life after that. */
  readonly idleMs: number;
  /** Of the whole request. */
  readonly wholeMs: number;
}

export const defaultStepTimes: StepTimes = { firstMs: 300_000, idleMs: 120_000, wholeMs: 900_000 };

export interface StepRequest {
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
}

export interface AskedCall {
  readonly id: string;
  readonly name: string;
  /** As the model sent it; undefined when that was no JSON object. */
  readonly input: unknown;
}

export interface StepAnswer {
  /** As it goes back to the model with the next request; undefined for an answer without anything in it. */
  readonly message: AssistantModelMessage | undefined;
  readonly text: string;
  readonly calls: readonly AskedCall[];
  readonly end: 'stop' | 'cut' | 'full' | 'refused';
  readonly usage: Usage;
  /** What the endpoint says that it is. */
  readonly modelId: string | undefined;
}

/** Far above any answer of a model; an endpoint that sends more never ends. */
const maxCharacters = 4_000_000;
/** Far above what a model asks for at once. */
const maxCalls = 500;

/** The most that an Anthropic model is asked for; the library takes less for the models that have less. */
const anthropicOutput = 16_000;

/**
 * One request to a model, streamed.
 *
 * @param onSign called at each sign of life, with the characters that have come so far
 * @throws what the library throws, {@link StreamIdle}, {@link AnswerBroken}, or the signal's reason
 */
export async function askModel(
  model: LanguageModelV4,
  request: StepRequest,
  times: StepTimes,
  clock: Clock,
  signal: AbortSignal,
  onSign: (characters: number) => void,
): Promise<StepAnswer> {
  signal.throwIfAborted();
  const giveUp = new AbortController();
  const stop = AbortSignal.any([signal, giveUp.signal]);
  const idle = (): void => giveUp.abort(new StreamIdle());
  const whole = clock.setTimeout(idle, times.wholeMs);
  let quiet = clock.setTimeout(idle, times.firstMs);
  // A model that does not listen to its signal is left behind.
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(stop.reason as Error);
  stop.addEventListener('abort', onAbort, { once: true });
  const answer = stream(model, request, stop, (characters) => {
    clock.clearTimeout(quiet);
    quiet = clock.setTimeout(idle, times.idleMs);
    onSign(characters);
  });
  try {
    return await Promise.race([answer, aborted.promise]);
  } catch (error) {
    if (stop.aborted) throw stop.reason;
    throw error;
  } finally {
    stop.removeEventListener('abort', onAbort);
    clock.clearTimeout(quiet);
    clock.clearTimeout(whole);
    // Ends what is left of the request.
    giveUp.abort(new AnswerBroken());
    answer.catch(() => undefined);
  }
}

async function stream(
  model: LanguageModelV4,
  request: StepRequest,
  signal: AbortSignal,
  onSign: (characters: number) => void,
): Promise<StepAnswer> {
  const anthropic = model.provider.startsWith('anthropic');
  const result = streamText({
    model,
    instructions: {
      role: 'system',
      content: request.instructions,
      ...(anthropic && { providerOptions: cached }),
    },
    messages: anthropic ? withCacheMark(request.messages) : [...request.messages],
    tools: request.tools,
    ...(anthropic && { maxOutputTokens: anthropicOutput }),
    abortSignal: signal,
    maxRetries: 0,
    // Errors come as parts of the stream; without this they would also go to the console.
    onError: () => undefined,
  });
  let characters = 0;
  let begun = 0;
  let text = '';
  const calls: AskedCall[] = [];
  let finish: { reason: string; raw: string | undefined; usage: Usage; modelId: string } | undefined;
  for await (const part of result.stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') signal.throwIfAborted();
    if (part.type === 'text-delta') text += part.text;
    if (part.type === 'tool-call') {
      calls.push({ id: part.toolCallId, name: part.toolName, input: inputOf(part.input) });
    }
    if (part.type === 'finish-step') {
      const { inputTokens, outputTokens } = part.usage;
      finish = {
        reason: part.finishReason,
        raw: part.rawFinishReason,
        // An endpoint that does not count is counted for: four characters are about a token.
        usage: {
          input: counted(inputTokens) ?? estimatedTokens(request),
          output: counted(outputTokens) ?? Math.ceil(characters / 4),
        },
        modelId: part.response.modelId,
      };
    }
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') characters += part.text.length;
    if (part.type === 'tool-input-delta') characters += part.delta.length;
    if (part.type === 'tool-input-start') begun += 1;
    if (characters > maxCharacters || Math.max(begun, calls.length) > maxCalls) throw endlessAnswer();
    if (part.type !== 'start' && part.type !== 'start-step') onSign(characters);
  }
  signal.throwIfAborted();
  if (finish === undefined || finish.reason === 'error' || finish.reason === 'interrupted')
    throw new AnswerBroken();
  const { usage, reason, raw } = finish;
  const said = (await result.responseMessages).find((message) => message.role === 'assistant');
  return {
    message: said,
    text: text.trim(),
    calls,
    end: endOf(reason, raw),
    usage,
    modelId: finish.modelId,
  };
}

/** Roughly, and rather too many: pages with code or in other scripts have shorter tokens than English. */
export function estimatedTokens(request: Pick<StepRequest, 'instructions' | 'messages'>): number {
  return Math.ceil((request.instructions.length + JSON.stringify(request.messages).length) / 3);
}

function endOf(reason: string, raw: string | undefined): StepAnswer['end'] {
  if (reason === 'content-filter') return 'refused';
  if (reason === 'length') return raw === 'model_context_window_exceeded' ? 'full' : 'cut';
  return 'stop';
}

/** Nothing and less than nothing is what some endpoints tell that do not count, or count only one side. */
function counted(tokens: number | undefined): number | undefined {
  return tokens !== undefined && tokens > 0 && Number.isFinite(tokens) ? tokens : undefined;
}

/** The library hands over a text where the arguments were no JSON; endpoints take back nothing but objects. */
function inputOf(input: unknown): unknown {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : undefined;
}

const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;

/** Anthropic reads again from its cache, for a tenth of the price, what stands before a mark. */
function withCacheMark(messages: readonly ModelMessage[]): ModelMessage[] {
  const last = messages.at(-1);
  if (last === undefined) return [];
  return [...messages.slice(0, -1), { ...last, providerOptions: cached }];
}

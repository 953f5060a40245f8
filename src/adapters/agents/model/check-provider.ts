import * as z from 'zod/v4';
import type { ModelProvider, ProviderCheck } from '../../../contract/agents.ts';
import type { Redactor } from '../../../service/redaction.ts';
import { endpointFailure } from './endpoint-errors.ts';
import { endpointFetch, NotAnEndpoint } from './endpoint-fetch.ts';

/** Somebody waits in front of it; a gateway that has to wake up takes a few seconds. In milliseconds. */
const timeoutMs = 15_000;
/** Of a list of models, in characters: the longest known are about one megabyte. */
const maxBody = 5_000_000;
const maxModels = 500;

/**
 * Tries a provider's address and key without spending a token: asks for its models and, where that tells nothing
 * of the key, sends a request that every endpoint refuses for its emptiness.
 *
 * @param model looked for among the models when it is given
 * @throws the signal's reason
 */
export async function checkProvider(
  provider: ModelProvider,
  model: string | undefined,
  fetch: typeof globalThis.fetch,
  redactor: Redactor,
  signal: AbortSignal,
): Promise<ProviderCheck> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const ask = asker(provider, endpointFetch(provider, fetch, redactor), AbortSignal.any([signal, timeout]));
    return await check(provider, model, ask);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) {
      return no(
        `${provider.name} gave no answer for ${timeoutMs / 1000} seconds. Check its address, and that it is running.`,
      );
    }
    if (error instanceof Refusal && error.statusCode === 401) return noKey(provider);
    const names = { provider: provider.name, model: model ?? '' };
    return no(endpointFailure(error, names, Date.now(), (text) => redactor.redact(text)).error.message);
  }
}

const no = (message: string): ProviderCheck => ({ ok: false, message, models: [] });

/** Whoever tries a key has it at hand: the sentence of a job, which tells where to change it, helps less. */
const noKey = ({ name, apiKey }: ModelProvider): ProviderCheck => ({
  ok: false,
  message:
    apiKey === undefined
      ? `${name} wants an API key.`
      : `${name} does not take the key. Copy all of it again, or make a new one there.`,
  wantsKey: true,
  models: [],
});

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
}

type Ask = (path: string, body?: object) => Promise<Answer>;

async function check(provider: ModelProvider, model: string | undefined, ask: Ask): Promise<ProviderCheck> {
  const { name } = provider;
  const listed = await ask('/models');
  if (listed.status === 401 || listed.status === 403 || listed.status >= 500) throw new Refusal(listed);
  const models = listed.status < 300 ? modelsIn(listed.body) : undefined;
  if (listed.status < 300 && models === undefined) throw new NotAnEndpoint('The list of models is no list.');
  // Some give the list to everybody, some have none: the key and the address show at the door for real requests.
  if (models === undefined || provider.apiKey !== undefined) {
    const path = provider.kind === 'anthropic' ? '/messages' : '/chat/completions';
    const tried = await ask(path, { model: model ?? models?.[0] ?? 'none', messages: [], max_tokens: 1 });
    if (tried.status === 401 || tried.status === 403 || tried.status === 402) throw new Refusal(tried);
    if (models === undefined && (tried.body === undefined || tried.status === 404 || tried.status === 405)) {
      throw new NotAnEndpoint('Nothing speaks with models at this address.');
    }
  }
  if (models === undefined) {
    return {
      ok: true,
      message: `${name} answers. It does not tell its models; name one yourself.`,
      models: [],
    };
  }
  if (models.length === 0) return no(`${name} answers, but has no model yet. Install one there first.`);
  if (model !== undefined && !models.includes(model) && !models.includes(`${model}:latest`)) {
    return {
      ok: true,
      message: `${name} answers, but does not list the model ${model}. Check its name.`,
      models,
    };
  }
  return {
    ok: true,
    message: `${name} is ready, with ${models.length === 1 ? 'one model' : `${models.length} models`}.`,
    models,
  };
}

function asker(provider: ModelProvider, fetch: typeof globalThis.fetch, signal: AbortSignal): Ask {
  const base = provider.baseUrl.replace(/\/+$/, '');
  return async (path, body) => {
    const response = await fetch(`${base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(provider.kind === 'anthropic' && { 'anthropic-version': '2023-06-01' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    });
    const text = await bounded(response);
    return { status: response.status, text, body: jsonIn(text) };
  };
}

async function bounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > maxBody) throw new NotAnEndpoint('The answer does not end.');
  }
  return text;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** In the shape in which the library throws, so that both have the same sentences. */
class Refusal extends Error {
  readonly statusCode: number;
  readonly responseBody: string;

  constructor({ status, text }: Answer) {
    super(`The endpoint answered with ${status}.`);
    this.name = 'Refusal';
    this.statusCode = status;
    this.responseBody = text;
  }
}

const entry = z.union([
  z.object({ id: z.string() }).transform(({ id }) => id),
  z.object({ name: z.string() }).transform(({ name }) => name),
]);
const listSchema = z.union([
  z.object({ data: z.array(entry) }).transform(({ data }) => data),
  z.object({ models: z.array(entry) }).transform(({ models }) => models),
  // Ollama without any model.
  z.object({ object: z.literal('list'), data: z.null() }).transform((): string[] => []),
  z.array(entry),
]);

function modelsIn(body: unknown): string[] | undefined {
  const parsed = listSchema.safeParse(body);
  if (!parsed.success) return undefined;
  const usable = parsed.data.filter((id) => /^[\x21-\x7e]{1,200}$/.test(id));
  return [...new Set(usable)].slice(0, maxModels);
}

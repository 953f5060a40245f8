import { ApiError } from './api-error.ts';
import { failureOf, lostSentence, refusalOf } from './failures.ts';
import { retryAfterMs } from './retry-after.ts';
import type { Redact } from './secrets.ts';

/** The part of `Response` that is used; every implementation of fetch has it. */
interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: {
    getReader(): {
      read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
      cancel(): Promise<void>;
    };
  } | null;
}

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly redirect: 'error';
  readonly cache: 'no-store';
  readonly signal: AbortSignal;
}

/**
 * How requests go out. In the extension host pass `(url, init) => globalThis.fetch(url, init)`: the editor
 * replaces the global one for proxies and certificates, so it has to be looked up at each call.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

/** What a request brings about, should its answer get lost: nothing that matters, a job, a message. */
export type Effect = 'none' | 'job' | 'message';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below the base URL; from `contract/routes.ts`. */
  readonly path: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The whole time from sending to the last byte of the answer, in milliseconds. */
  readonly limitMs: number;
  /** Largest answer in bytes, after decompression. A longer one is not read to its end. */
  readonly maxBytes: number;
  readonly effect: Effect;
  /** True for an operation that only our service has. */
  readonly addition?: boolean;
  readonly signal: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

/** Where requests go. */
export interface Recipient {
  /** Without a trailing slash. */
  readonly base: string;
  /** Undefined for what is asked without a key. */
  readonly apiKey: string | undefined;
  readonly fetch: Fetch;
  readonly redact: Redact;
  readonly now: () => number;
}

/** An explanation is short; the rest of an error page is of no use. */
const maxRefusalBytes = 64 * 1024;

/** One request with its limits. Everything but a 2xx answer, read whole, becomes an {@link ApiError}. */
export async function send(call: Call, to: Recipient): Promise<Answer> {
  if (call.signal?.aborted) throw new ApiError('cancelled', 'The request was cancelled.');
  // Not AbortSignal.any with AbortSignal.timeout: on Node 22 and on some versions of 24 the combined
  // signal may never fire when its sources are collected as garbage (nodejs/node issues 57736 and 65995).
  const stop = new AbortController();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    stop.abort();
  }, call.limitMs);
  const cancel = (): void => stop.abort();
  call.signal?.addEventListener('abort', cancel, { once: true });

  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
  });

  const progress: Progress = {};
  const exchanged = exchange(call, to, stop.signal, progress);
  // The race is lost by one of the two; its rejection has been told by the other.
  exchanged.catch(() => undefined);
  try {
    // A fetch that does not heed its signal must not outlive the limit either.
    return await Promise.race([exchanged, stopped]);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (progress.refusal !== undefined) throw progress.refusal('');
    throw failureOf(error, {
      base: to.base,
      effect: call.effect,
      redact: to.redact,
      answered: progress.status,
      interruption: timedOut ? { kind: 'timeout', limitMs: call.limitMs } : cancelledBy(call.signal),
    });
  } finally {
    clearTimeout(timer);
    call.signal?.removeEventListener('abort', cancel);
  }
}

/** What is already known while the rest of an answer is awaited. */
interface Progress {
  status?: number;
  /** The status has told what happened; a body that hangs or breaks off does not change it. */
  refusal?: (body: string) => ApiError;
}

async function exchange(call: Call, to: Recipient, signal: AbortSignal, progress: Progress): Promise<Answer> {
  const answer = await to.fetch(to.base + call.path, {
    method: call.method,
    headers: headersOf(call, to.apiKey),
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    redirect: 'error',
    cache: 'no-store',
    signal,
  });
  const { headers, status } = answer;
  progress.status = status;
  if (status >= 200 && status < 300) {
    const body = await read(answer, call.maxBytes);
    if (body.cut) throw tooLong(call, status);
    return { status, text: body.text, header: (name) => headers.get(name) };
  }
  const wait = retryAfterMs(headers.get('retry-after'), headers.get('date'), to.now());
  const { effect, addition = false } = call;
  progress.refusal = (body) =>
    refusalOf({ status, body, retryAfterMs: wait, effect, addition, redact: to.redact });
  throw progress.refusal((await read(answer, maxRefusalBytes)).text);
}

function cancelledBy(signal: AbortSignal | undefined): { kind: 'cancelled' } | undefined {
  return signal?.aborted ? { kind: 'cancelled' } : undefined;
}

function headersOf(call: Call, apiKey: string | undefined): Record<string, string> {
  return {
    Accept: call.accept ?? 'application/json',
    ...call.headers,
    ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
  };
}

function tooLong(call: Call, status: number): ApiError {
  if (call.effect !== 'none') {
    return new ApiError('may_have_started', lostSentence(call.effect), { status });
  }
  return new ApiError('unusable_answer', 'The service’s answer is too long to be read here.', { status });
}

async function read(answer: FetchAnswer, maxBytes: number): Promise<{ text: string; cut: boolean }> {
  if (answer.body === null) return { text: '', cut: false };
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), cut: false };
    if (value === undefined) continue;
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      // The rest is refused, not waited for; that the connection breaks by it is the purpose.
      reader.cancel().catch(() => undefined);
      return { text, cut: true };
    }
    text += decoder.decode(value, { stream: true });
  }
}

import { timeLimit } from '../../service/time-limit.ts';

/** Bytes of one answer: a page of pull requests has some hundred kilobytes. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** Hosts end requests of their own after ten to sixty seconds; above it a line is dead, not slow. */
const requestTimeLimitMs = 30_000;

export interface FetchBounds {
  /** Of the answer's body, in bytes. */
  readonly maxBytes?: number;
  /** Until the last byte of the answer, in milliseconds. */
  readonly timeLimitMs?: number;
}

/**
 * `fetch` that does not wait for, or read, an answer which does not end: the host is somebody else's. The answer is
 * whole when it resolves, because octokit takes one that breaks off for an empty one.
 */
export function boundedFetch(
  send: typeof fetch,
  { maxBytes = maxAnswerBytes, timeLimitMs = requestTimeLimitMs }: FetchBounds = {},
): typeof fetch {
  return async (input, init) => {
    using limit = timeLimit(init?.signal ?? undefined, timeLimitMs);
    const response = await send(input, { ...init, signal: limit.signal });
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const body = await readAtMost(response.body, maxBytes);
    const answer = new Response(body, { status, statusText, headers });
    // Of the constructor's making it would be empty, and octokit reads it.
    Object.defineProperty(answer, 'url', { value: response.url });
    return answer;
  };
}

async function readAtMost(stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let left = maxBytes;
  for await (const chunk of stream) {
    left -= chunk.byteLength;
    if (left < 0) throw new Error(`The answer is longer than ${maxBytes} bytes.`);
    chunks.push(new Uint8Array(chunk));
  }
  return new Blob(chunks);
}

import type { Fetch, FetchInit } from '../../src/client/transport.ts';

export interface Sent {
  readonly url: string;
  readonly init: FetchInit;
}

/** What a request gets: an answer, or what fetch throws. */
export type Reply = Response | Error | ((sent: Sent) => Promise<Response>);

/** A fetch that answers from a list, in order, and keeps what was sent. The last reply repeats. */
export function fakeFetch(...replies: Reply[]): { fetch: Fetch; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, init) => {
    const reply = replies[Math.min(sent.length, replies.length - 1)];
    sent.push({ url, init });
    if (reply === undefined) throw new Error('no reply was scripted');
    if (reply instanceof Error) throw reply;
    return typeof reply === 'function' ? reply({ url, init }) : reply.clone();
  };
  return { fetch, sent };
}

export function answer(
  body: unknown,
  status = 200,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Response {
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
}

/** As undici reports a request that failed on the network. */
export function networkError(
  code: string,
  syscall?: string,
  message = `${syscall ?? ''} ${code}`,
): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code, syscall }) });
}

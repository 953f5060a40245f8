import type { MiddlewareHandler } from 'hono';
import { errorResponse } from './answers.ts';

const ownNames = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Lets through what was addressed to this service by one of its own names. A page on the web whose
 * name was made to resolve to 127.0.0.1 (DNS rebinding) sends its own name as `Host`, and is refused.
 */
export function ownHostOnly(port: number): MiddlewareHandler {
  const own = new Set(ownNames.map((name) => `${name}:${port}`));
  return async (context, next) => {
    const { host } = new URL(context.req.url);
    const header = context.req.header('host');
    if (!own.has(host) || (header !== undefined && !own.has(header.toLowerCase()))) {
      return errorResponse('forbidden', 'This service answers only to its own address on this computer.');
    }
    return next();
  };
}

/**
 * Refuses the API to pages in a browser. Clients of the API are programs, which send no `Origin`; a page
 * that got hold of a key must not use it, and there are no CORS headers that would let one try.
 */
export const noBrowsers: MiddlewareHandler = async (context, next) => {
  const site = context.req.header('sec-fetch-site');
  if (context.req.header('origin') !== undefined || (site !== undefined && site !== 'none')) {
    return errorResponse('forbidden', 'The API does not take requests from pages in a browser.');
  }
  return next();
};

/**
 * True when a form was sent by a page of this service. `Origin` is `null` on such a page, because of its
 * `Referrer-Policy: no-referrer`; then `Sec-Fetch-Site` tells. A browser that sends neither is believed
 * as far as the form's own token goes, which the caller checks too.
 */
export function isSameOrigin(request: Request): boolean {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return false;
  return origin === null || origin === 'null' || origin === new URL(request.url).origin;
}

/** Headers of every answer: nothing is kept, guessed at, framed or told to the next site. */
export const quietHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  const set = (name: string, value: string): void => {
    if (!context.res.headers.has(name)) context.res.headers.set(name, value);
  };
  set('Cache-Control', 'no-store');
  set('X-Content-Type-Options', 'nosniff');
  set('Referrer-Policy', 'no-referrer');
  set('Cross-Origin-Resource-Policy', 'same-origin');
  set('Cross-Origin-Opener-Policy', 'same-origin');
  set('X-Frame-Options', 'DENY');
  set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
};

import type { MiddlewareHandler } from 'hono';
import { errorResponse } from './answers.ts';

export interface KeyCheck {
  /** True when the key may use the API. */
  accepts(key: string): Promise<boolean>;
}

/** Longer than every key; keeps a header of megabytes from being hashed. */
const maxKeyLength = 512;

/** Lets through requests with a known `Authorization: Bearer` key. */
export function authenticate(keys: KeyCheck): MiddlewareHandler {
  return async (context, next) => {
    const key = /^Bearer +(\S+) *$/i.exec(context.req.header('authorization') ?? '')?.[1];
    if (key === undefined) {
      return errorResponse('unauthorized', 'Send the API key as Authorization: Bearer KEY.');
    }
    if (key.length > maxKeyLength || !(await keys.accepts(key))) {
      return errorResponse(
        'unauthorized',
        'This API key is not known here, or it has expired. Set it again.',
      );
    }
    return next();
  };
}

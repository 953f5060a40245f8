import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { RequestErrorCode } from '../../contract/errors.ts';
import type { ErrorBody } from '../../contract/requests.ts';
import type { RequestError } from '../../service/request-error.ts';

const statusOfCode: Readonly<Record<RequestErrorCode, ContentfulStatusCode>> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  rate_limited: 429,
  stopping: 503,
  internal: 500,
};

/** Seconds after which a client that met a service on its way out finds the next one. */
const retryAfterStopping = 5;

/** The published error body with our code, and `Retry-After` where a repetition helps. */
export function errorResponse(
  code: RequestErrorCode,
  message: string,
  options: { status?: ContentfulStatusCode; retryAfter?: number; headers?: Record<string, string> } = {},
): Response {
  const { retryAfter = code === 'stopping' ? retryAfterStopping : undefined } = options;
  const body: ErrorBody = { error: message, code };
  return Response.json(body, {
    status: options.status ?? statusOfCode[code],
    headers: {
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(retryAfter))) }),
      ...(code === 'unauthorized' ? { 'WWW-Authenticate': 'Bearer' } : {}),
      ...options.headers,
    },
  });
}

export function refusal(error: RequestError): Response {
  const { code, message, retryAfter } = error;
  return errorResponse(code, message, retryAfter === undefined ? {} : { retryAfter });
}

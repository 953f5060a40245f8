import type * as z from 'zod/v4';
import { ServiceError } from '../../service/service-error.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { HostRefusal, notThisHost, refusal, type Speaker, unreachable } from './refusals.ts';

export interface RestOptions extends Speaker {
  /** Without a slash at its end. Nothing is sent to any other place. */
  readonly apiUrl: string;
  /** Value of the Authorization header. */
  readonly authorization: string;
  /** undici's, with the proxy and certificate settings of the process. */
  readonly fetch: typeof fetch;
  /** Sent as user agent. */
  readonly version: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The host's own words in the body of a refusal, most telling first. Absent: {@link commonReasons}. */
  readonly reasons?: (body: unknown) => readonly string[];
}

export interface RestRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the API's address, beginning with a slash; segments are encoded by the caller. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; undefined for an empty body, a string for one that is no JSON. */
  readonly data: unknown;
}

export type RestCall = (request: RestRequest, signal: AbortSignal) => Promise<RestAnswer>;

/**
 * Speaks JSON with one code host. Throws `HostRefusal` for what the caller may know how to go on from, and
 * `ServiceError` for everything else: no answer, trouble, a limit, a sign-in that is not accepted, a redirect.
 */
export function restCaller(options: RestOptions): RestCall {
  const send = boundedFetch(options.fetch);
  return async ({ method = 'GET', path, query = {}, body, headers }, signal) => {
    const url = new URL(options.apiUrl + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    try {
      const response = await send(url, {
        method,
        headers: {
          accept: 'application/json',
          'user-agent': `docs-agent/${options.version}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...options.headers,
          ...headers,
          authorization: options.authorization,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // The token belongs to this place, not to wherever a redirect leads.
        redirect: 'manual',
        signal,
      });
      const data = parsed(await response.text());
      if (response.ok) return { status: response.status, headers: response.headers, data };
      const reasons = (options.reasons ?? commonReasons)(data);
      throw refusal({ status: response.status, headers: response.headers, reasons }, options);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceError || error instanceof HostRefusal) throw error;
      throw unreachable(options, error);
    }
  };
}

/** The answer's data as the schema says, or an error that tells of another product behind the address. */
export function readAnswer<Schema extends z.ZodType>(
  schema: Schema,
  data: unknown,
  hostName: string,
): z.infer<Schema> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  throw notThisHost(hostName, result.error);
}

/** `{message}`, `{error}`, `{errors: [{message}]}` and lists and maps of texts in their place. */
export function commonReasons(body: unknown): readonly string[] {
  if (typeof body !== 'object' || body === null) return [];
  const { message, error_description: description, error, errors } = body as Record<string, unknown>;
  return [message, description, error, errors].flatMap(texts);
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(texts);
  if (typeof value !== 'object' || value === null) return [];
  const { message } = value as Record<string, unknown>;
  if (typeof message === 'string') return [message];
  // A map from fields to their complaints.
  return Object.entries(value).flatMap(([field, complaint]) =>
    texts(complaint).map((text) => `${field} ${text}`),
  );
}

/** For hosts that take a personal token as the password of any user name. */
export function basicAuthorization(username: string, secret: string): string {
  return `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`;
}

function parsed(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

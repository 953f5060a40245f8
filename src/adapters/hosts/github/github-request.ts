import type { Octokit } from '@octokit/core';
import * as z from 'zod/v4';
import type { Redactor } from '../../../service/redaction.ts';
import { ServiceError } from '../../../service/service-error.ts';

export interface Answer {
  readonly status: number;
  readonly data: unknown;
}

export type Request = (
  route: string,
  parameters: Record<string, unknown>,
  signal: AbortSignal,
) => Promise<Answer>;

/** A refusal that its caller may know how to go on from. Never leaves this folder untranslated. */
export class GitHubRefusal extends Error {
  readonly status: number;
  /** GitHub's own words, redacted: message, then the messages of the single errors. */
  readonly reasons: readonly string[];

  constructor(status: number, reasons: readonly string[], cause: unknown) {
    super(`GitHub answered ${status}: ${reasons.join('; ')}`, { cause });
    this.name = 'GitHubRefusal';
    this.status = status;
    this.reasons = reasons;
  }
}

/** GitHub ends its own requests after ten seconds; the rest is a slow line. */
const requestTimeLimitMs = 30_000;

const refusalSchema = z.object({
  message: z.string().catch(''),
  errors: z
    .array(z.union([z.string(), z.object({ message: z.string().optional(), code: z.string().optional() })]))
    .catch([]),
});

const failureSchema = z.object({
  status: z.number(),
  response: z
    .object({ data: z.unknown(), headers: z.record(z.string(), z.unknown()).catch({}) })
    .optional()
    .catch(undefined),
});

/** Octokit's request with a time limit, and its failures as ours. */
export function requestWith(octokit: Octokit, redactor: Redactor, source: string): Request {
  return async (route, parameters, signal) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(requestTimeLimitMs)]);
    try {
      const answer: Answer = await octokit.request(route, {
        ...parameters,
        headers: { 'x-github-api-version': '2022-11-28' },
        // Octokit takes the token along to wherever a redirect leads.
        request: { signal: limited, redirect: 'manual' },
      });
      if (answer.status >= 300) throw moved();
      return { status: answer.status, data: answer.data };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceError) throw error;
      throw translate(error, redactor, source);
    }
  };
}

function translate(error: unknown, redactor: Redactor, source: string): Error {
  const failure = failureSchema.safeParse(error);
  // Octokit turns a request that got no answer into a status of 500 without a response.
  if (!failure.success || !failure.data.response) {
    const message = 'GitHub could not be reached. Check the connection and try again.';
    return new ServiceError('network', message, { retryable: true, cause: withoutToken(error, redactor) });
  }
  const { status, response } = failure.data;
  const refusal = refusalSchema.safeParse(response.data);
  const { message, errors } = refusal.success ? refusal.data : { message: '', errors: [] };
  const reasons = [
    message,
    ...errors.map((one) => (typeof one === 'string' ? one : (one.message ?? one.code ?? ''))),
  ]
    .filter((text) => text !== '')
    .map((text) => redactor.redact(text).slice(0, 300));
  const cause = new GitHubRefusal(status, reasons, withoutToken(error, redactor));
  if (status >= 300 && status < 400) return moved(cause);
  if (isRateLimit(status, response.headers, reasons)) {
    const wait = waitSentence(response.headers);
    return new ServiceError('network', `GitHub allows no more requests at the moment. ${wait}`, {
      retryable: true,
      cause,
    });
  }
  if (status === 401) {
    const text = `GitHub does not accept the sign-in (${source}). It may have expired: renew it and try again.`;
    return new ServiceError('authentication_failed', text, { cause });
  }
  if (status >= 500) {
    const text = 'GitHub has trouble at the moment. Try again later.';
    return new ServiceError('network', text, { retryable: true, cause });
  }
  return cause;
}

/** Octokit's errors hold the request with its headers; only what is safe in a log goes on. */
function withoutToken(error: unknown, redactor: Redactor): Error {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown failure';
  return new Error(redactor.redact(text));
}

function isRateLimit(status: number, headers: Record<string, unknown>, reasons: readonly string[]): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  const exhausted = String(headers['x-ratelimit-remaining']) === '0' || headers['retry-after'] !== undefined;
  return exhausted || reasons.some((reason) => /rate limit|abuse detection/i.test(reason));
}

function waitSentence(headers: Record<string, unknown>): string {
  const after = Number(headers['retry-after']);
  const reset = Number(headers['x-ratelimit-reset']) * 1000 - Date.now();
  const milliseconds = after > 0 ? after * 1000 : reset;
  if (!(milliseconds > 0)) return 'Try again later.';
  const minutes = Math.ceil(milliseconds / 60_000);
  return `Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
}

function moved(cause?: unknown): ServiceError {
  return new ServiceError(
    'repository_unavailable',
    'The repository has moved at GitHub. Set its new address with "git remote set-url".',
    { cause },
  );
}

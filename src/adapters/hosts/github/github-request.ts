import type { Octokit } from '@octokit/core';
import * as z from 'zod/v4';
import { ServiceError } from '../../../service/service-error.ts';
import { HostRefusal, refusal, type Speaker, unreachable } from '../refusals.ts';

export interface Answer {
  readonly status: number;
  readonly data: unknown;
}

export type Request = (
  route: string,
  parameters: Record<string, unknown>,
  signal: AbortSignal,
) => Promise<Answer>;

const refusalSchema = z.object({
  message: z.string().catch(''),
  errors: z
    .array(
      z.union([
        z.string(),
        z.object({
          message: z.string().optional(),
          field: z.string().optional(),
          code: z.string().optional(),
        }),
      ]),
    )
    .catch([]),
});

const failureSchema = z.object({
  status: z.number(),
  response: z
    .object({ data: z.unknown(), headers: z.record(z.string(), z.unknown()).catch({}) })
    .optional()
    .catch(undefined),
});

/** Octokit's request, its failures as ours. */
export function requestWith(octokit: Octokit, speaker: Speaker): Request {
  return async (route, parameters, signal) => {
    try {
      const answer: Answer = await octokit.request(route, {
        ...parameters,
        headers: { 'x-github-api-version': '2022-11-28' },
        // Octokit takes the token along to wherever a redirect leads.
        request: { signal, redirect: 'manual' },
      });
      if (answer.status >= 300) throw refusal({ ...answer, headers: new Headers(), reasons: [] }, speaker);
      return { status: answer.status, data: answer.data };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceError || error instanceof HostRefusal) throw error;
      throw translate(error, speaker);
    }
  };
}

function translate(error: unknown, speaker: Speaker): Error {
  const failure = failureSchema.safeParse(error);
  // Octokit turns a request that got no answer into a status of 500 without a response.
  if (!failure.success || !failure.data.response) return unreachable(speaker, error);
  const { status, response } = failure.data;
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    if (typeof value === 'string' || typeof value === 'number') headers.set(name, String(value));
  }
  const told = refusalSchema.safeParse(response.data);
  const { message, errors } = told.success ? told.data : { message: '', errors: [] };
  const reasons = [
    message,
    ...errors.map((one) =>
      typeof one === 'string' ? one : (one.message ?? `${one.field ?? ''} ${one.code ?? ''}`),
    ),
  ];
  if (status === 403 && headers.get('x-github-sso') !== null) return signOnMissing(speaker, reasons);
  return refusal({ status, headers, reasons }, speaker);
}

/** An organisation with single sign-on: the token is good, but was not authorised for it. */
function signOnMissing({ name, source }: Speaker, reasons: readonly string[]): ServiceError {
  return new ServiceError(
    'authentication_failed',
    `The organisation wants the sign-in (${source}) to be authorised for its single sign-on. Do that in the settings of the token at GitHub ("Configure SSO"), then try again.`,
    { cause: new HostRefusal(name, 403, reasons.slice(0, 1)) },
  );
}

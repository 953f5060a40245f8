import { errorBodySchema } from '../contract/requests.ts';
import { ApiError } from './api-error.ts';
import { withoutSecrets, type Redact } from './secrets.ts';
import { explanationIn, shortened } from './server-text.ts';
import type { Effect } from './transport.ts';
import { unsentReason } from './unsent.ts';

const notOffered = 'This service does not offer this.';

/**
 * What to tell when nobody knows what a create or follow-up has brought about.
 *
 * @param why the beginning of the sentence
 */
export function lostSentence(
  effect: Exclude<Effect, 'none'>,
  why = 'The answer to the request was lost',
): string {
  return effect === 'job'
    ? `${why}, so the job may have started. Look at the repository’s pull requests or your provider’s dashboard before you create it again.`
    : `${why}, so the follow-up may have arrived. Look at the job before you send it again.`;
}

interface Refusal {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs: number | undefined;
  readonly effect: Effect;
  readonly addition: boolean;
  readonly redact: Redact;
}

/** The error for an answer that is not 2xx. */
export function refusalOf(refusal: Refusal): ApiError {
  const { status, effect, redact } = refusal;
  const explanation = explanationIn(refusal.body);
  const said = explanation === undefined ? '' : ` The service says: “${shortened(redact(explanation))}”`;
  const error = (code: ApiError['code'], sentence: string, retryable = false): ApiError =>
    new ApiError(code, sentence + said, { status, retryable, retryAfterMs: refusal.retryAfterMs });

  switch (status) {
    case 401:
      return error(
        'unauthorized',
        'The service does not accept the API key. It may have expired or been removed: check again later, or replace the key.',
      );
    case 402:
    case 403:
      return error(
        'forbidden',
        'The service does not allow this with the API key. The key may lack the scope, or this network address may not be on its list.',
      );
    case 404:
    case 410:
      // Ours names what it did not find; a foreign service does not know the path.
      if (refusal.addition && codeIn(refusal.body) === undefined) {
        return error('not_supported', notOffered);
      }
      return error(
        'not_found',
        effect === 'job'
          ? 'The service does not know this project. Check the project id and the service’s address.'
          : 'The service does not know this job.',
      );
    case 405:
    case 501:
      return error('not_supported', notOffered);
    case 407:
      return error(
        'unreachable',
        'The network’s proxy asks for a log-in. Check the editor’s proxy settings.',
      );
    case 408:
      return error('timeout', 'The service waited too long for the request. Try again.', true);
    case 409:
      return error('conflict', 'The service refused this because of the state it is in now.');
    case 413:
      return error('invalid_request', 'The prompt is too long for this service. Shorten it.');
    case 425:
    case 429:
      return error('rate_limited', `The service’s rate limit is reached. ${waitSentence(refusal)}`, true);
    default:
  }
  if (status >= 300 && status < 400) return redirected(status);
  if (status < 500) return error('invalid_request', 'The service refused the request.');
  // A gateway tells of its own trouble, not of what the service behind it has already done.
  if (effect !== 'none' && !surelyNotStarted(refusal)) {
    return error('may_have_started', lostSentence(effect, `The service has a problem (${status})`));
  }
  return error('server_error', `The service has a problem (${status}). Try again later.`, true);
}

/** Our own service says `stopping` before it looks at the request. */
function surelyNotStarted(refusal: Refusal): boolean {
  return refusal.status === 503 && codeIn(refusal.body) === 'stopping';
}

/** The word for programs in our service's refusals, which providers of the published contract do not have. */
function codeIn(body: string): string | undefined {
  try {
    return errorBodySchema.safeParse(JSON.parse(body)).data?.code;
  } catch {
    return undefined;
  }
}

function waitSentence(refusal: Refusal): string {
  const ms = refusal.retryAfterMs;
  if (ms === undefined) return 'Try again later.';
  const minutes = Math.ceil(ms / 60_000);
  return ms <= 60_000 ? 'Try again in a minute.' : `Try again in ${minutes} minutes.`;
}

function redirected(status?: number, cause?: Error): ApiError {
  return new ApiError(
    'redirected',
    'The service’s address leads elsewhere, and the key is not sent there. Check the address; a network log-in page can cause this, too.',
    { status, cause },
  );
}

interface Circumstances {
  readonly base: string;
  readonly effect: Effect;
  readonly redact: Redact;
  /** The status, when the answer had begun. */
  readonly answered: number | undefined;
  readonly interruption: { kind: 'timeout'; limitMs: number } | { kind: 'cancelled' } | undefined;
}

/** The error for a request that got no whole answer. */
export function failureOf(error: unknown, at: Circumstances): ApiError {
  const cause = withoutSecrets(error, at.redact);
  const status = at.answered;
  const why = at.interruption === undefined && status === undefined ? unsentReason(error) : undefined;
  if (at.effect !== 'none' && why === undefined) {
    return new ApiError('may_have_started', lostSentence(at.effect), { status, cause });
  }
  if (at.interruption?.kind === 'cancelled') {
    return new ApiError('cancelled', 'The request was cancelled.', { status, cause });
  }
  if (at.interruption?.kind === 'timeout') {
    const seconds = Math.round(at.interruption.limitMs / 1000);
    return new ApiError('timeout', `The service did not answer within ${seconds} seconds. Try again later.`, {
      status,
      retryable: true,
      cause,
    });
  }
  const { host } = new URL(at.base);
  switch (why) {
    case 'redirect':
      return redirected(status, cause);
    case 'certificate':
      return unreachable(
        `No secure connection to ${host}: its certificate is not trusted on this machine, or it is no https: address. Check the address, or ask who runs the service or the network.`,
        false,
        cause,
      );
    case 'name':
      return unreachable(
        `The address ${host} was not found. Check the network connection and the service’s address.`,
        true,
        cause,
      );
    case 'proxy':
      return unreachable(
        'The network’s proxy did not let the request through. Check the proxy settings.',
        true,
        cause,
      );
    case 'connect':
      return unreachable(
        `Nothing answers at ${host}. Check the network connection, and that the service is running.`,
        true,
        cause,
      );
    case undefined:
      return unreachable(`The connection to ${host} broke off. Try again later.`, true, cause);
  }
}

function unreachable(message: string, retryable: boolean, cause: Error): ApiError {
  return new ApiError('unreachable', message, { retryable, cause });
}

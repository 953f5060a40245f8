import type { JobErrorCode } from '../../contract/errors.ts';
import type { Redactor } from '../../service/redaction.ts';
import { hostWords } from '../../service/host-words.ts';
import { ServiceError } from '../../service/service-error.ts';

/** What a host answered when it did not do what was asked. */
export interface RefusedAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** The host's own words, most telling first, as they came. */
  readonly reasons: readonly string[];
}

/** Whom the sentences speak of. */
export interface Speaker {
  /** As people call it: "GitLab". */
  readonly name: string;
  /** Where the credential was found: "GITLAB_TOKEN". */
  readonly source: string;
  readonly redactor: Redactor;
}

/** A refusal that its caller may know how to go on from. Never leaves the hosts' folder untranslated. */
export class HostRefusal extends Error {
  readonly status: number;
  /** The host's own words, redacted and bounded, most telling first. */
  readonly reasons: readonly string[];

  constructor(name: string, status: number, reasons: readonly string[], cause?: unknown) {
    super(`${name} answered ${status}: ${reasons.join('; ')}`, { cause });
    this.name = 'HostRefusal';
    this.status = status;
    this.reasons = reasons;
  }

  says(pattern: RegExp): boolean {
    return this.reasons.some((reason) => pattern.test(reason));
  }

  /** The host's words as the end of a sentence. */
  get words(): string {
    return this.reasons.join('; ').replace(/[.\s]+$/, '') || `answer ${this.status}`;
  }
}

/** Of one reason, in characters: a stack trace of the host is nobody's sentence. */
const maxReason = 300;
/** A host that complains of more complains of the same. */
const maxReasons = 12;

/** Hosts redirect with every status to the new name of a repository; proxies redirect to where people sign in. */
const leadsToSignIn = /(?<![a-z])(?:(?:log|sign)[-_]?[io]n|o?auth|sso(?![a-z])|saml|openid)/i;

/**
 * What every host means by a status. What is not said here is a {@link HostRefusal}, for the adapter that knows
 * what it had asked for.
 */
export function refusal(
  answer: RefusedAnswer,
  speaker: Speaker,
  cause?: unknown,
): ServiceError | HostRefusal {
  const { status, headers } = answer;
  const reasons = answer.reasons
    .slice(0, maxReasons)
    .map((text) => hostWords(speaker.redactor.redact(text), maxReason))
    .filter((text) => text !== '');
  const refused = new HostRefusal(speaker.name, status, reasons, cause);
  const error = (code: JobErrorCode, message: string): ServiceError =>
    new ServiceError(code, message, { cause: refused });
  if (status >= 300 && status < 400) {
    const text = leadsToSignIn.test(headers.get('location') ?? '')
      ? `Something in front of ${speaker.name} sends requests to a sign-in page. Have it let programs with a token through, or set the address of the REST interface ("apiUrl") for the service.`
      : `The repository has moved at ${speaker.name}. Set its new address with "git remote set-url".`;
    return error('repository_unavailable', text);
  }
  if (status === 401) {
    const text = `${speaker.name} does not accept the sign-in (${speaker.source}). It may have expired: renew it and try again.`;
    return error('authentication_failed', text);
  }
  if (isRateLimit(status, headers, refused)) {
    const retryAfterMs = waitFor(headers);
    const text = `${speaker.name} allows no more requests at the moment. ${waitSentence(retryAfterMs)}`;
    return new ServiceError('network', text, { retryable: true, retryAfterMs, cause: refused });
  }
  if (status >= 500 || status === 408) {
    const text = `${speaker.name} has trouble at the moment. Try again later.`;
    return new ServiceError('network', text, {
      retryable: true,
      retryAfterMs: waitFor(headers),
      cause: refused,
    });
  }
  return refused;
}

/** A request that got no answer. `cause` may hold the request with its token, so only its words go on. */
export function unreachable(speaker: Speaker, cause: unknown): ServiceError {
  const nested = cause instanceof Error && cause.cause instanceof Error ? ` (${cause.cause.message})` : '';
  const text = cause instanceof Error ? `${cause.name}: ${cause.message}${nested}` : 'unknown failure';
  const message = `${speaker.name} could not be reached. Check the connection and try again.`;
  return new ServiceError('network', message, {
    retryable: true,
    cause: new Error(speaker.redactor.redact(text)),
  });
}

/** An answer that this kind of host does not give: a sign-in page, a proxy, another product. */
export function notThisHost(name: string, cause?: unknown): ServiceError {
  return new ServiceError(
    'pull_request_failed',
    `The code host answered something that ${name} would not answer. Check its address.`,
    { cause },
  );
}

/**
 * The host refuses a second pull request and does not list the first: its lists come from a copy that is some seconds
 * behind. Failing for good would leave an open pull request that the job knows nothing of.
 */
export function notListedYet(name: string, cause: HostRefusal): ServiceError {
  const message = `${name} says that there is a pull request already, but does not list it yet.`;
  return new ServiceError('network', message, { retryable: true, cause });
}

/**
 * Some hosts let people delete a pull request. The repository was found just before, so what is not there is the
 * pull request, and the work goes on as after a close. Anything else is thrown again.
 */
export function closedWhenGone(error: unknown): 'closed' {
  const cause: unknown = error instanceof ServiceError ? error.cause : error;
  if (cause instanceof HostRefusal && cause.status === 404) return 'closed';
  throw error;
}

/** GitHub tells some of its limits with 403. */
function isRateLimit(status: number, headers: RefusedAnswer['headers'], refused: HostRefusal): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  const exhausted = headers.get('x-ratelimit-remaining') === '0' || headers.get('retry-after') !== null;
  return exhausted || refused.says(/rate limit|abuse detection/i);
}

/**
 * Milliseconds, from `Retry-After` in seconds or as a date, or from the second at which a limit is set back. That
 * one stands in every answer of some hosts, so it counts only when nothing remains.
 */
function waitFor(headers: RefusedAnswer['headers']): number | undefined {
  const after = headers.get('retry-after');
  const seconds = after === null ? Number.NaN : Number(after);
  const date = after === null ? Number.NaN : Date.parse(after) - Date.now();
  const wait = Number.isNaN(seconds) ? date : seconds * 1000;
  if (wait > 0) return wait;
  const remaining = headers.get('x-ratelimit-remaining') ?? headers.get('ratelimit-remaining');
  const reset = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset')) * 1000;
  return remaining === '0' && reset > Date.now() ? reset - Date.now() : undefined;
}

function waitSentence(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return 'Try again later.';
  const minutes = Math.ceil(milliseconds / 60_000);
  return `Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
}

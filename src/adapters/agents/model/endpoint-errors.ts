import type { JobErrorCode } from '../../../contract/errors.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { NotAnEndpoint } from './endpoint-fetch.ts';
import { factsOf, type EndpointFacts } from './endpoint-facts.ts';

/** What went wrong at a model's endpoint, and what can be done about it. */
export interface EndpointFailure {
  readonly error: ServiceError;
  /** Whether the same request may succeed in a while. */
  readonly passing: boolean;
  /** Milliseconds that the endpoint asks to wait. */
  readonly retryAfterMs: number | undefined;
  /** The request was larger than the model reads at once. */
  readonly overflow: boolean;
}

/** Names for sentences. */
export interface ModelNames {
  readonly provider: string;
  readonly model: string;
}

/** Nothing came for so long that the request was given up. */
export class StreamIdle extends Error {
  constructor() {
    super('The model sent nothing for too long.');
    this.name = 'StreamIdle';
  }
}

/** The answer ended without its end. */
export class AnswerBroken extends Error {
  constructor(options?: ErrorOptions) {
    super('The answer of the model broke off.', options);
    this.name = 'AnswerBroken';
  }
}

interface Kind {
  readonly code: JobErrorCode;
  readonly passing?: boolean;
  /** False: it has cost so much time already that a whole new attempt is the writer's to decide. */
  readonly retryable?: false;
  readonly overflow?: boolean;
  readonly sentence: (names: ModelNames) => string;
}

const noCredit: Kind = {
  code: 'model_no_credit',
  sentence: ({ provider }) =>
    `The account at ${provider} has no credit left or has reached its spending limit. Add credit there, or choose another agent.`,
};
const wrongKey: Kind = {
  code: 'model_authentication_failed',
  sentence: ({ provider }) =>
    `${provider} does not take the key. Change it with "Choose Agent…", "Manage providers and keys…".`,
};
const notAllowed: Kind = {
  code: 'model_authentication_failed',
  sentence: ({ provider, model }) =>
    `The key for ${provider} may not use the model ${model}, or may not be used from here. Choose another model or key.`,
};
const unknownModel: Kind = {
  code: 'model_not_found',
  sentence: ({ provider, model }) =>
    `${provider} does not have the model ${model}. Choose a model that it has, or install it there.`,
};
const noTools: Kind = {
  code: 'agent_unavailable',
  sentence: ({ provider, model }) =>
    `The model ${model} of ${provider} cannot use tools, so it cannot read or change pages. Choose a model that can.`,
};
const tooLarge: Kind = {
  code: 'context_too_large',
  overflow: true,
  sentence: ({ model }) =>
    `The task does not fit into what the model ${model} reads at once. Ask for less at a time, or choose a model with a larger context.`,
};
const refused: Kind = {
  code: 'model_refused',
  sentence: ({ provider }) =>
    `${provider} refused this prompt or a page for its content rules. Say it in other words, or choose another model.`,
};
const noEndpoint: Kind = {
  code: 'network',
  sentence: ({ provider }) =>
    `What answers at the address of ${provider} is no language model. Check the address; it usually ends with /v1.`,
};
const overloaded: Kind = {
  code: 'model_overloaded',
  passing: true,
  sentence: ({ provider }) =>
    `${provider} has too much to do or allows no more requests for now. Try again later, or choose another model.`,
};
const outOfOrder: Kind = {
  code: 'model_overloaded',
  passing: true,
  sentence: ({ provider }) =>
    `${provider} is out of order for now. Try again later, or choose another model.`,
};
const unreachable: Kind = {
  code: 'network',
  passing: true,
  sentence: ({ provider }) =>
    `${provider} cannot be reached. Check that it is running, its address and the network, then try again.`,
};
const broken: Kind = {
  code: 'network',
  passing: true,
  sentence: ({ provider }) => `The answer of ${provider} broke off each time. Try again later.`,
};
/** Nested so deep that nothing reads it, or too long for a text. */
const unreadable: Kind = {
  code: 'agent_failed',
  sentence: ({ provider, model }) =>
    `The model ${model} of ${provider} sent an answer that cannot be read. Try again, or choose another model.`,
};
const silent: Kind = {
  code: 'time_limit',
  passing: true,
  retryable: false,
  sentence: ({ provider, model }) =>
    `The model ${model} of ${provider} sent nothing for too long. Try again, ask for less at a time, or choose a faster model.`,
};

/** The address is wrong or the certificate is: trying again changes nothing. */
const lastingNetworkCodes =
  /^(?:ENOTFOUND|ERR_INVALID_URL|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL)/;

/** What answers speaks another protocol, or sends more headers than any server of models. */
const noHttp = /^(?:HPE_|UND_ERR_HEADERS_OVERFLOW)/;

/**
 * Puts a name on whatever a request to a model threw.
 *
 * @param redact blanks out secrets in what the endpoint said
 */
export function endpointFailure(
  thrown: unknown,
  names: ModelNames,
  now: number,
  redact: (text: string) => string,
): EndpointFailure {
  const facts = factsOf(thrown, now);
  // What has a name of ours already: a model of the editor throws it through the library.
  const named = facts.chain.find((error) => error instanceof ServiceError);
  if (named !== undefined)
    return {
      error: named,
      passing: false,
      retryAfterMs: undefined,
      overflow: named.code === 'context_too_large',
    };
  const kind = kindOf(thrown, facts);
  const passing = kind?.passing ?? false;
  // The texts of libraries hold whole requests; what the log needs is this.
  const cause = new Error(
    `${facts.status ?? 'no status'} ${facts.networkCode ?? ''} ${redact(facts.words).slice(0, 500)}`,
  );
  const error = new ServiceError(
    kind?.code ?? 'agent_failed',
    kind?.sentence(names) ?? unnamed(names, facts, redact),
    {
      retryable: kind?.retryable ?? passing,
      cause,
    },
  );
  return { error, passing, retryAfterMs: facts.retryAfterMs, overflow: kind?.overflow ?? false };
}

function kindOf(thrown: unknown, facts: EndpointFacts): Kind | undefined {
  if (thrown instanceof StreamIdle) return silent;
  if (facts.chain.some((error) => error instanceof NotAnEndpoint)) return noEndpoint;
  const { status, words, json } = facts;
  if (noHttp.test(facts.networkCode ?? '')) return noEndpoint;
  if (status === undefined && facts.networkCode !== undefined) {
    return lastingNetworkCodes.test(facts.networkCode) ? { ...unreachable, passing: false } : unreachable;
  }
  if (thrown instanceof AnswerBroken || facts.brokenAnswer) return broken;
  if (thrown instanceof RangeError) return unreadable;
  if (status === 402 || creditWords.test(words)) return noCredit;
  // A limit on tokens in a minute speaks of too many tokens too, and passes.
  if (status === 413 || (status === 429 ? /request too large/i : overflowWords).test(words)) return tooLarge;
  if (toolWords.test(words)) return noTools;
  if (status === 401 || keyWords.test(words)) return wrongKey;
  if (filterWords.test(words)) return refused;
  if (status === 403) return notAllowed;
  if (modelWords.test(words)) return unknownModel;
  if (status === 404 || status === 405) return json && /model/i.test(words) ? unknownModel : noEndpoint;
  if (status === 429 || status === 529 || overloadWords.test(words)) return overloaded;
  if (status !== undefined && (status >= 500 || status === 408 || status === 409)) return outOfOrder;
  return undefined;
}

const creditWords =
  /insufficient_quota|billing_hard_limit|credit balance is too low|exceeded your current quota|insufficient (?:balance|credits?|funds)|billing_not_active|out of credits|payment required/i;
const overflowWords =
  /context_length_exceeded|maximum context length|context (?:length|window|size)\b.{0,60}\b(?:exceed|small|limit|maximum|overflow)|(?:exceed|larger|longer)\w*\b.{0,60}\bcontext (?:length|window|size)|prompt is too long|prompt too long|too many (?:input )?tokens|input is too long|input length.{0,40}exceed|request_too_large|string_above_max_length|maximum (?:number of )?(?:input )?tokens/i;
const toolWords =
  /does(?:n't| not) support (?:the )?(?:use of )?(?:tools?|function)|(?:tools?|tool[ _](?:use|calls?|calling|choice)|function calling) (?:is|are) not supported|support(?:s)? tool use|requires --enable-auto-tool-choice|unsupported.{0,20}\btools\b/i;
const keyWords =
  /invalid_api_key|incorrect api key|invalid (?:x-)?api[ -]key|authentication_error|api key not valid/i;
const filterWords =
  /content_filter|content_policy|content management policy|responsible ?ai ?policy|usage policy|safety (?:system|policy)|prohibited content/i;
const modelWords =
  /model_not_found|model_not_exist|deploymentnotfound|model\b.{0,120}\b(?:not found|does not exist|not exist|is not available|is unknown)|unknown model|invalid model|not a valid model|no such model|unsupported model|not_found_error\b.{0,20}\bmodel/i;
const overloadWords =
  /overloaded|rate_limit|rate limit|too many requests|resource_exhausted|server_busy|engine is currently overloaded|capacity/i;

/** A refusal without a name of ours: the endpoint's own words are all that helps. */
function unnamed(names: ModelNames, facts: EndpointFacts, redact: (text: string) => string): string {
  const said = redact(facts.message)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed();
  if (said === '') return `${names.provider} refused the request. Choose another model, or try again later.`;
  return `${names.provider} refused the request and said: "${said}". Choose another model, or try again later.`;
}

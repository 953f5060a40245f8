import type { AcpCommand } from '../../../contract/agents.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { signInHint } from './known-agents.ts';
import { phrase } from './session-record.ts';

/** Code of an answer that says that the agent is not signed in. */
const authRequired = -32000;
/** Of what an agent says about its failure. */
const longestReason = 300;

/** Something went wrong with an agent: gives it its name. */
export interface AgentTrouble {
  readonly command: AcpCommand;
  /** What it wrote on standard error. */
  readonly errorText: string;
  readonly redact: (text: string) => string;
}

export function needsSignIn({ command }: Pick<AgentTrouble, 'command'>, cause?: unknown): ServiceError {
  return new ServiceError(
    'model_authentication_failed',
    `${command.name} is not signed in. To sign in, ${signInHint(command)}, then try again.`,
    { cause },
  );
}

/** @param how `exit code 1`, `signal SIGKILL` */
export function endedEarly(trouble: AgentTrouble, how: string): ServiceError {
  return new ServiceError(
    'agent_unavailable',
    `${trouble.command.name} ended as soon as it was started (${how}).${lastWords(trouble)} Start it in a terminal to see what is wrong.`,
  );
}

/** @param how as in {@link endedEarly}; undefined when it closed its output and runs on */
export function brokeDown(trouble: AgentTrouble, how: string | undefined, cause?: unknown): ServiceError {
  return new ServiceError(
    'agent_failed',
    `${trouble.command.name} broke down in the middle of its work${how === undefined ? '' : ` (${how})`}.${lastWords(trouble)} Nothing was changed. Try again, or ask for less at a time.`,
    { cause },
  );
}

export function doesNotAnswer({ name }: AcpCommand): ServiceError {
  return new ServiceError(
    'agent_unavailable',
    `${name} was started but did not answer. Check that it speaks the Agent Client Protocol, and start it in a terminal to see what is wrong.`,
  );
}

export function asksOnAndOn({ name }: AcpCommand): ServiceError {
  return new ServiceError(
    'agent_failed',
    `${name} asked again and again for what Docs Agent does not allow, so it was stopped. Nothing was changed. Say that it should only edit pages, or choose another agent.`,
  );
}

export function otherProtocol({ name }: AcpCommand, version: unknown): ServiceError {
  return new ServiceError(
    'agent_unavailable',
    `${name} speaks version ${phrase(String(version))} of the Agent Client Protocol, which Docs Agent does not know. Update both.`,
  );
}

/** An agent answered a request with an error. */
export function refusedRequest(trouble: AgentTrouble, error: unknown): ServiceError {
  const { name } = trouble.command;
  const said = saidIn(error);
  const reason = phrase(trouble.redact(said)).slice(0, longestReason);
  if (isAuthRequired(error)) return needsSignIn(trouble, error);
  for (const [pattern, code, todo] of known) {
    if (pattern.test(said)) {
      return new ServiceError(code, `${name} could not go on: ${ended(reason)} ${todo}`, { cause: error });
    }
  }
  const what = reason === '' ? '' : `: ${reason}`;
  return new ServiceError(
    'agent_failed',
    `${name} could not go on${ended(what)} Nothing was changed. Try again, or choose another agent.`,
    {
      cause: error,
    },
  );
}

/** What agents hand on from their providers, in the words of all of them. */
const known: readonly (readonly [RegExp, ConstructorParameters<typeof ServiceError>[0], string])[] = [
  [
    /insufficient[_ ](?:quota|credit|balance|funds)|credit balance|billing|payment required|\b402\b/i,
    'model_no_credit',
    'Look at the account of its provider.',
  ],
  [
    /\b401\b|unauthori[sz]ed|invalid[_ ](?:x-)?api[_ ]?key|incorrect api key|authentication[_ ]error|not logged in|please (?:log|sign) ?in/i,
    'model_authentication_failed',
    'Sign in to it in a terminal again.',
  ],
  [
    /context[_ ](?:length|window)|prompt is too long|too many tokens/i,
    'context_too_large',
    'Ask for less at a time.',
  ],
  [
    /model[_ ]not[_ ]found|no such model|unknown model/i,
    'model_not_found',
    'Choose another model in its settings.',
  ],
  [/\b(?:429|529)\b|rate[_ ]limit|overloaded|too many requests/i, 'model_overloaded', 'Try again later.'],
];

export function isAuthRequired(error: unknown): boolean {
  return codeOf(error) === authRequired;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** The message of an answered error, with the details that agents put beside a general one. */
function saidIn(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const details = detailsIn('data' in error ? error.data : undefined);
  const message = error.message.replace(/^internal error:?\s*/i, '');
  const both = message.includes(details) ? message : `${message} ${details}`;
  return both.slice(0, 4_000).trim();
}

function detailsIn(data: unknown): string {
  if (typeof data === 'string') return data;
  if (typeof data !== 'object' || data === null) return '';
  const texts = Object.entries(data).filter(([key]) => /^(?:details?|message|error|reason)$/i.test(key));
  return texts.flatMap(([, value]) => (typeof value === 'string' ? value : [])).join(' ');
}

/** The last line of standard error, where programs say why they end. */
function lastWords({ errorText, redact }: AgentTrouble): string {
  const line = redact(errorText)
    .split('\n')
    .findLast((text) => text.trim() !== '');
  return line === undefined ? '' : ` It said: ${ended(phrase(line).slice(0, longestReason))}`;
}

function ended(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

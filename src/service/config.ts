import * as z from 'zod/v4';
import { agentConfigSchema } from './agent-config.ts';
import { pullRequestExtrasSchema } from '../contract/project.ts';
import { defaultBranchPrefix } from './branch-name.ts';
import { hostKinds } from './host-kinds.ts';
import { defaultJobLimits } from './limits.ts';
import { isLoopback } from './remote-url.ts';

/** Below the data folder; optional. May hold tokens, so only its user may read it. */
export const configFileName = 'config.json';

const minutes = z.number('This is a number of minutes.').positive('This is more than zero minutes.');

/** A token goes there, so it is https, or this machine; without user info, query and the slash at its end. */
const addressSchema = z
  .string()
  .refine((text) => URL.canParse(text) && isAddress(new URL(text)), {
    error: 'This is an address like https://example.com/gitlab, without user name and query.',
  })
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));

function isAddress({ protocol, hostname, username, password, search, hash }: URL): boolean {
  const safe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  return safe && [username, password, search, hash].every((part) => part === '');
}

const hostSchema = z.strictObject({
  /** Which interface this host speaks; needed only for a host that its name does not tell. */
  kind: z.enum(hostKinds).optional(),
  username: z.string().min(1).optional(),
  /** Personal access token or the like, allowed to write contents and pull requests. */
  token: z.string().min(1).optional(),
  /** Address of the site, when it lives in a folder or has another name than git's: `https://example.com/gitlab`. */
  webUrl: addressSchema.optional(),
  /** Address of its REST interface, when that is not where this kind of host usually has it. */
  apiUrl: addressSchema.optional(),
});

/** What git takes for a name and an address without changing it. */
const authorSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[^<>\p{C}\s](?:[^<>\p{C}]{0,98}[^<>\p{C}\s.,:;"'\\])?$/u, 'This is a name without < and >.'),
  email: z.string().regex(/^[^<>@\p{C}\s]{1,100}@[^<>@\p{C}\s]{1,150}$/u, 'This is an e-mail address.'),
});

const configSchema = (env: Readonly<Record<string, string | undefined>>) =>
  z.strictObject({
    /** Port on 127.0.0.1; 0 takes the last used one, or any free one. */
    port: z.int('A port is a whole number.').min(0).max(65_535).default(0),
    /** The service ends after this many minutes without a request and without an active job. */
    idleMinutes: minutes.default(10),
    /** Jobs that run at the same time. */
    concurrency: z.int().min(1).max(16).default(2),
    jobs: z
      .strictObject({
        /** Before the name of each branch, for example `docs-agent/`. */
        branchPrefix: z
          .string()
          .regex(
            /^[A-Za-z0-9][A-Za-z0-9._/-]{0,39}$/,
            'A branch prefix has letters, digits, dots, dashes and slashes.',
          )
          .default(defaultBranchPrefix),
        /** How often a job is begun when the service is killed at it, or when it meets passing trouble. */
        attempts: z.int().min(1).max(1000).default(defaultJobLimits.attempts),
        /** Whether jobs may change files outside the project's docs folder. */
        outsideDocsRoot: z.boolean().default(false),
        /** Extras of every pull request, where a project does not say otherwise. */
        pullRequest: pullRequestExtrasSchema.prefault({}),
      })
      .prefault({}),
    /** How long running jobs may go on after the first request to stop. */
    stopSeconds: z.number().nonnegative().max(600).default(20),
    /** In whose name commits are made; absent: Docs Agent. */
    author: authorSchema.optional(),
    /** Code hosts by host name, for example `github.com` or `git.example.com:8443`. */
    hosts: z
      .record(
        z
          .string()
          .regex(
            /^[a-z0-9.-]+(?::\d{1,5})?$/,
            'A host is named like github.com, in lower case, without https.',
          ),
        hostSchema,
      )
      .default({}),
    /** Agents beside the ones that the editor hands over, for example those of a team. */
    agents: agentConfigSchema(env),
  });

export type ServiceConfig = Readonly<z.output<ReturnType<typeof configSchema>>>;

/** The configuration cannot be used. `message` names each place that is wrong, and never a value. */
export class ConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigError';
  }
}

/**
 * The configuration of one service process: the file's text (undefined when there is none), with the
 * variables `DOCS_AGENT_PORT` and `DOCS_AGENT_IDLE_MINUTES` above it. Throws {@link ConfigError}.
 */
export function parseConfig(
  text: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): ServiceConfig {
  const parsed = configSchema(env).safeParse({ ...fileValues(text), ...environmentValues(env) });
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues.map(
    (issue) => `${issue.path.join('.') || 'top level'}: ${sentence(issue)}`,
  );
  throw new ConfigError(`The configuration of the Docs Agent service is not valid. ${places.join(' ')}`);
}

function fileValues(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // No cause: the parser's message quotes the text, and the text may hold a token.
    throw new ConfigError(`The configuration file ${configFileName} is not valid JSON.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError(`The configuration file ${configFileName} must hold one JSON object.`);
  }
  return value as Record<string, unknown>;
}

function environmentValues(env: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const { DOCS_AGENT_PORT: port, DOCS_AGENT_IDLE_MINUTES: idleMinutes } = env;
  return {
    ...(port ? { port: Number(port) } : {}),
    ...(idleMinutes ? { idleMinutes: Number(idleMinutes) } : {}),
  };
}

/** zod's own sentences quote names of unknown keys, never values; they end without a full stop. */
function sentence(issue: z.core.$ZodIssue): string {
  const message = (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined) ?? issue.message;
  return message.endsWith('.') ? message : `${message}.`;
}

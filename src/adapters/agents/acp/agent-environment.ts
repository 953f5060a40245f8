import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { AcpCommand } from '../../../contract/agents.ts';
import { hostVariables, windowsVariables } from '../../../contract/service-variables.ts';
import { type Machine, type Program, programFolders } from './find-program.ts';
import { knownAgents } from './known-agents.ts';

/** Marks every process that a run has started, also those that left its group; see `process-table.ts`. */
export const runMarker = 'ACP_RUN_ID';

/** What any program needs: where things are, how to write, how to reach the network. Upper case. */
const handedOn = new Set(
  [
    'PATHEXT HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TMP TEMP',
    'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY',
    'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA',
    ...windowsVariables,
  ].flatMap((line) => line.split(' ')),
);

const handedOnPrefixes = ['LC_', 'XDG_'];

/**
 * What can push, sign or speak as the writer, and what is the service's own. Not even a setting that names one of
 * them passes it on.
 */
const neverHandedOn =
  /^(?:DOCS_AGENT_.*|GIT_.*|GCM_.*|SSH_.*|GPG_.*|GNUPGHOME|KRB5CCNAME|GH_.*|GITHUB_.*|GITLAB_.*|GITEA_.*|FORGEJO_.*|BITBUCKET_.*|AZURE_DEVOPS_.*|SYSTEM_ACCESSTOKEN|NPM_TOKEN|NODE_AUTH_TOKEN|NODE_OPTIONS|ELECTRON_.*|LD_.*|DYLD_.*)$/;

export interface AgentRun {
  readonly command: AcpCommand;
  readonly program: Program;
  readonly machine: Machine;
  /** The workspace. */
  readonly directory: string;
  readonly marker: string;
}

/**
 * The environment of one agent: harmless variables, those of its own sign-in, and those that the settings name.
 * No token of a code host, no git credential, no ssh agent.
 */
export function agentEnvironment({
  command,
  program,
  machine,
  directory,
  marker,
}: AgentRun): NodeJS.ProcessEnv {
  const known = knownAgents.get(command.id);
  const named = new Set(
    [...(known?.variables ?? []), ...command.passVariables].map((name) => name.toUpperCase()),
  );
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(machine.env)) {
    const upper = name.toUpperCase();
    const own = handedOn.has(upper) || handedOnPrefixes.some((prefix) => upper.startsWith(prefix));
    if (own || (named.has(upper) && !mayPush(upper))) env[name] = value;
  }
  // Its interpreter usually lies beside it.
  const folders = [...programFolders(machine), path.dirname(program.file)];
  Object.assign(env, known?.fixed, mergedConfiguration(env, known?.fixed), {
    PATH: [...new Set(folders)].join(machine.platform === 'win32' ? ';' : ':'),
    [runMarker]: marker,
    ...(known?.passwordVariable !== undefined && {
      [known.passwordVariable]: randomBytes(24).toString('hex'),
    }),
    ...withoutGit(directory),
  });
  return env;
}

function mayPush(upper: string): boolean {
  return neverHandedOn.test(upper) || hostVariables.includes(upper);
}

/** Configuration that a setting passes on is kept, as far as ours does not say otherwise. */
function mergedConfiguration(
  env: NodeJS.ProcessEnv,
  fixed: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const name = 'OPENCODE_CONFIG_CONTENT';
  const [given, ours] = [asObject(env[name]), asObject(fixed[name])];
  return given === undefined || ours === undefined ? {} : { [name]: JSON.stringify({ ...given, ...ours }) };
}

function asObject(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** An agent that calls git finds no repository above the workspace, no credential and nobody to push to. */
function withoutGit(directory: string): Record<string, string> {
  return {
    GIT_CEILING_DIRECTORIES: path.dirname(directory),
    // Git for Windows reads this name too.
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_OPTIONAL_LOCKS: '0',
  };
}

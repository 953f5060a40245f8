import { windowsVariables } from '../../contract/service-variables.ts';

/**
 * What git, ssh and the user's credential helpers need of the environment. Everything else stays away:
 * keys of model providers, and every `GIT_*` that would point git at another repository or at a command.
 */
const handedOn = new Set(
  [
    'PATH PATHEXT HOME USER LOGNAME LANG TMPDIR TMP TEMP',
    'SSH_AUTH_SOCK SSH_AGENT_PID GIT_SSH GIT_SSH_VARIANT',
    'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY',
    'SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE GIT_SSL_CAINFO GIT_SSL_CAPATH GIT_EXEC_PATH',
    'DBUS_SESSION_BUS_ADDRESS GNUPGHOME KRB5CCNAME',
    ...windowsVariables,
  ].flatMap((line) => line.split(' ')),
);

const handedOnPrefixes = ['XDG_', 'GCM_'];

/** Only where a person's own settings matter: which file holds them. */
const userConfiguration = new Set(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM']);

/**
 * `user`: the person's global configuration counts (proxies, certificates, credential helpers, ssh).
 * `sealed`: no configuration but ours; for what works on files that others wrote.
 */
export type ConfigurationScope = 'user' | 'sealed';

export interface ConfigurationEntry {
  readonly key: string;
  readonly value: string;
}

/**
 * The environment of one git process. `entries` reach git by environment, not by argument, because
 * arguments are readable by every process of the machine.
 */
export function gitEnvironment(
  base: NodeJS.ProcessEnv,
  scope: ConfigurationScope,
  emptyFolder: string,
  entries: readonly ConfigurationEntry[],
): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(base)) {
    const upper = name.toUpperCase();
    if (handedOn.has(upper) || handedOnPrefixes.some((prefix) => upper.startsWith(prefix))) env[name] = value;
    if (scope === 'user' && userConfiguration.has(upper)) env[name] = value;
  }
  if (scope === 'sealed') {
    // GIT_CONFIG_GLOBAL came with git 2.32; an empty home does the same for 2.31.
    Object.assign(env, { GIT_CONFIG_NOSYSTEM: '1', GIT_ATTR_NOSYSTEM: '1' });
    Object.assign(env, { HOME: emptyFolder, XDG_CONFIG_HOME: emptyFolder, USERPROFILE: emptyFolder });
  }
  Object.assign(env, {
    LC_ALL: 'C',
    LANGUAGE: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    // No refresh of an index that belongs to somebody else.
    GIT_OPTIONAL_LOCKS: '0',
    // Without `ext`, which runs a command, and helpers of other names.
    GIT_ALLOW_PROTOCOL: 'file:https:http:ssh:git',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'false',
    GIT_MERGE_AUTOEDIT: 'no',
    GIT_CONFIG_COUNT: String(entries.length),
  });
  for (const [index, { key, value }] of entries.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return env;
}

/**
 * Configuration that outranks whatever the repository's own file says, so that nothing in it can run a
 * command, and a tree's bytes come out and go in as they are.
 */
export function guardingConfiguration(emptyFolder: string): ConfigurationEntry[] {
  const values: Record<string, string> = {
    'core.hooksPath': emptyFolder,
    'core.fsmonitor': 'false',
    'core.untrackedCache': 'false',
    'core.alternateRefsCommand': 'git --version',
    'core.askPass': '',
    'core.editor': 'false',
    'core.pager': 'cat',
    'core.protectNTFS': 'true',
    'core.protectHFS': 'true',
    'core.longpaths': 'true',
    'core.quotePath': 'false',
    'core.logAllRefUpdates': 'false',
    'core.gitProxy': '',
    'diff.external': '',
    'diff.ignoreSubmodules': 'all',
    'submodule.recurse': 'false',
    'fetch.recurseSubmodules': 'false',
    'fetch.writeCommitGraph': 'false',
    'push.recurseSubmodules': 'no',
    'push.followTags': 'false',
    'push.gpgSign': 'false',
    'commit.gpgSign': 'false',
    'tag.gpgSign': 'false',
    'log.showSignature': 'false',
    'gc.auto': '0',
    'maintenance.auto': 'false',
    'advice.detachedHead': 'false',
    'protocol.ext.allow': 'never',
    // A server that trickles holds up a job as much as one that is gone: a minute below 1 KB/s ends it.
    'http.lowSpeedLimit': '1000',
    'http.lowSpeedTime': '60',
  };
  return Object.entries(values).map(([key, value]) => ({ key, value }));
}

/** For the service's own trees: bytes and modes are the repository's, links are plain files. */
export const ownTreeConfiguration: readonly ConfigurationEntry[] = [
  { key: 'core.autocrlf', value: 'false' },
  { key: 'core.eol', value: 'lf' },
  { key: 'core.safecrlf', value: 'false' },
  // A link that is a plain file cannot lead the agent out of its workspace.
  { key: 'core.symlinks', value: 'false' },
  { key: 'core.fileMode', value: 'false' },
  { key: 'core.precomposeUnicode', value: 'false' },
  { key: 'core.sparseCheckout', value: 'false' },
  { key: 'core.splitIndex', value: 'false' },
  { key: 'index.sparse', value: 'false' },
];

import { agentVariables, hostVariables, windowsVariables } from '../contract/service-variables.ts';

/** What the service and the programs it starts (git, ssh, credential helpers) need. Upper case. */
const handedOn = new Set(
  [
    'PATH PATHEXT HOME USER LOGNAME LANG LANGUAGE TZ TMPDIR TMP TEMP',
    'SSH_AUTH_SOCK SSH_AGENT_PID DBUS_SESSION_BUS_ADDRESS GNUPGHOME KRB5CCNAME',
    'GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_EXEC_PATH GIT_SSL_CAINFO GIT_SSL_CAPATH',
    'GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM',
    'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY',
    'SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA',
    ...windowsVariables,
    ...hostVariables,
    ...agentVariables,
  ].flatMap((line) => line.split(' ')),
);

const handedOnPrefixes = ['LC_', 'XDG_', 'GCM_', 'DOCS_AGENT_'];

/** The editor's network settings, which a plain Node process knows nothing of. */
export interface NetworkSettings {
  /** `http.proxy`; undefined or empty when the environment decides. */
  readonly proxy: string | undefined;
  /** `http.noProxy`. */
  readonly noProxy: readonly string[];
  /** `http.proxySupport` is not `off`. */
  readonly useProxy: boolean;
  /** `http.systemCertificates`. */
  readonly systemCertificates: boolean;
}

/** What never goes through a proxy, because the service itself is there. */
const ownMachine = ['localhost', '127.0.0.1', '::1'];

/**
 * The environment of the service's process: only what is needed of the editor's, with its network
 * settings as variables. Never as arguments, which every process of the machine can read.
 */
export function serviceEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  network: NetworkSettings,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    const upper = name.toUpperCase();
    const needed = handedOn.has(upper) || handedOnPrefixes.some((prefix) => upper.startsWith(prefix));
    if (needed && value !== undefined) env[name] = value;
  }
  if (!network.useProxy) removeVariables(env, ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']);
  else applyProxy(env, network);
  if (network.systemCertificates) env['NODE_USE_SYSTEM_CA'] ??= '1';
  // The editor's own program runs as plain Node with it; Node itself does not mind.
  env['ELECTRON_RUN_AS_NODE'] = '1';
  return env;
}

function applyProxy(env: Record<string, string>, { proxy, noProxy }: NetworkSettings): void {
  const inherited = valueOf(env, 'NO_PROXY')?.split(',') ?? [];
  if (proxy !== undefined && /^https?:\/\//i.test(proxy)) {
    // Programs read either spelling; two that differ would make the setting a matter of luck.
    removeVariables(env, ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']);
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']) env[name] = proxy;
  }
  const anyProxy = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].some((name) => valueOf(env, name));
  if (!anyProxy) return;
  const direct = new Set([...inherited, ...noProxy, ...ownMachine].map((host) => host.trim()));
  direct.delete('');
  removeVariables(env, ['NO_PROXY']);
  for (const name of ['NO_PROXY', 'no_proxy']) env[name] = [...direct].join(',');
}

function valueOf(env: Readonly<Record<string, string>>, upper: string): string | undefined {
  return Object.entries(env).find(([name, value]) => name.toUpperCase() === upper && value !== '')?.[1];
}

function removeVariables(env: Record<string, string>, uppers: readonly string[]): void {
  for (const name of Object.keys(env)) if (uppers.includes(name.toUpperCase())) delete env[name];
}

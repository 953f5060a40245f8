import type { ServiceConfig } from '../../service/config.ts';
import { configuredHost, hostPlace } from '../../service/host-place.ts';
import { gitUser, hostSignIn, howToSignIn } from '../../service/host-sign-in.ts';
import type { HostTokens } from '../../service/host-tokens.ts';
import type { Credential, Credentials } from '../../service/ports/credentials.ts';
import type { Redactor } from '../../service/redaction.ts';
import { parseRemoteUrl, type RemoteUrl } from '../../service/remote-url.ts';
import type { ConfigurationEntry } from './environment.ts';
import { type Git, GitFailure } from './run-git.ts';
import { tokenFor, tokenUser } from './token-variables.ts';

type HttpRemote = Extract<RemoteUrl, { kind: 'http' }>;

export interface GitCredentialsOptions {
  readonly git: Git;
  readonly redactor: Redactor;
  /** By host name, with the port when it is not 443; from the service's configuration. */
  readonly hosts: ServiceConfig['hosts'];
  readonly hostTokens: HostTokens;
  readonly env: NodeJS.ProcessEnv;
}

/** A helper answers at once or asks somebody who is not there: after this it is taken as no answer. */
const helperTimeLimitMs = 15_000;

/**
 * The order of the port. What the remote's own address held comes after the environment and before the
 * helpers. A credential is answered for its own host only, and only where nobody can listen.
 */
export class GitCredentials implements Credentials {
  readonly #options: GitCredentialsOptions;
  readonly #embedded = new Map<string, Credential>();
  readonly #users = new Map<string, string>();
  readonly #settings = new Map<string, readonly ConfigurationEntry[]>();

  constructor(options: GitCredentialsOptions) {
    this.#options = options;
    for (const [host, { token, username }] of Object.entries(options.hosts)) {
      if (token !== undefined) {
        options.redactor.register(token, username ?? tokenUser(host, token, options.hosts));
      }
    }
  }

  /**
   * Keeps, in memory, what a project's remote held in its address, because the address itself is shown and stored: a
   * secret, or the name of the account that helpers are to be asked for. What it does not hold any more is forgotten.
   */
  remember(remote: HttpRemote, projectId: string): void {
    const { url, host, username } = remote;
    const key = keyOf(url, projectId);
    this.#embedded.delete(key);
    this.#users.delete(key);
    const secret = secretOf(remote);
    if (secret === undefined) {
      if (username !== undefined) this.#users.set(key, username);
      return;
    }
    const known = username === secret ? undefined : username;
    const user = known ?? tokenUser(host, secret, this.#options.hosts);
    this.#options.redactor.register(secret, user);
    this.#embedded.set(key, { username: user, secret, source: "the remote's address" });
  }

  /** From now on helpers are those that the person has set for the project's checkout; undefined: as everywhere. */
  listenTo(settings: readonly ConfigurationEntry[] | undefined, projectId: string): void {
    if (settings === undefined) this.#settings.delete(projectId);
    else this.#settings.set(projectId, settings);
  }

  async find(remoteUrl: string, projectId: string, signal: AbortSignal): Promise<Credential | undefined> {
    const remote = parseRemoteUrl(remoteUrl);
    if (remote === undefined || remote.kind === 'file' || remote.kind === 'git') return undefined;
    if (remote.kind === 'http' && !remote.mayCarrySecrets) return undefined;
    const found =
      this.#configured(remote.host) ??
      this.#fromEnvironment(remote.host) ??
      this.#embedded.get(keyOf(remoteUrl, projectId)) ??
      (await this.#fromHelper(remote, projectId, signal)) ??
      this.#fromEditor(remote.host, projectId);
    // Git's header may name another user than the credential does.
    if (found !== undefined) this.#options.redactor.register(found.secret, gitUser(found));
    return found;
  }

  /** A sentence or two on what to do where none was found; undefined for a host of which nobody knows the kind. */
  howToSignIn(remoteUrl: string): string | undefined {
    const place = hostPlace(remoteUrl, this.#options.hosts);
    return place && `There is no sign-in for ${place.host}. ${howToSignIn(place)}`;
  }

  #configured(host: string): Credential | undefined {
    const { hosts } = this.#options;
    const { token, username } = configuredHost(host, hosts) ?? {};
    if (token === undefined) return undefined;
    const user = username ?? tokenUser(host, token, hosts);
    return { username: user, secret: token, source: "the service's configuration" };
  }

  #fromEnvironment(host: string): Credential | undefined {
    const found = tokenFor(host, this.#options.env);
    if (found !== undefined) this.#options.redactor.register(found.secret, found.username);
    return found;
  }

  /** What the person has stored with git: a keychain, the Credential Manager, `gh`. Never asks anybody. */
  async #fromHelper(
    remote: Exclude<RemoteUrl, { kind: 'file' }>,
    projectId: string,
    signal: AbortSignal,
  ): Promise<Credential | undefined> {
    const protocol = remote.kind === 'http' ? new URL(remote.url).protocol.slice(0, -1) : 'https';
    // As the remote writes it: some helpers keep one credential a path.
    const path = remote.kind === 'http' ? new URL(remote.url).pathname.slice(1) : `${remote.path}.git`;
    const question = { protocol, host: remote.host, path };
    const username = this.#users.get(keyOf(remote.url, projectId));
    const named =
      username === undefined ? undefined : await this.#ask({ ...question, username }, projectId, signal);
    // The name may be no account but an organisation, as in the addresses that Azure DevOps offers.
    return named ?? this.#ask(question, projectId, signal);
  }

  async #ask(
    question: Readonly<Record<string, string>> & { readonly host: string },
    projectId: string,
    signal: AbortSignal,
  ): Promise<Credential | undefined> {
    // A line more would be another question.
    if (Object.values(question).some((value) => /[\0\r\n]/.test(value))) return undefined;
    const settings = this.#settings.get(projectId);
    const lines = Object.entries(question).map(([name, value]) => `${name}=${value}\n`);
    try {
      const { stdout } = await this.#options.git.run(['credential', 'fill'], {
        scope: 'user',
        input: `${lines.join('')}\n`,
        config: settings === undefined ? [] : [{ key: 'credential.helper', value: '' }, ...settings],
        signal,
        timeLimitMs: helperTimeLimitMs,
      });
      return this.#readAnswer(stdout, question.host);
    } catch (error) {
      // No helper, or one that would have to ask: both mean that there is none.
      if (error instanceof GitFailure) return undefined;
      throw error;
    }
  }

  #readAnswer(answer: string, host: string): Credential | undefined {
    const fields = new Map(
      answer.split(/\r?\n/).flatMap((line) => {
        const at = line.indexOf('=');
        return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
      }),
    );
    const username = fields.get('username');
    const secret = fields.get('password');
    if (!username || !secret || fields.get('host') !== host) return undefined;
    this.#options.redactor.register(secret, username);
    return { username, secret, source: 'git credential' };
  }

  /** The editor's session is one of github.com: it goes to no other host, not even to another GitHub server. */
  #fromEditor(host: string, projectId: string): Credential | undefined {
    if (host !== 'github.com') return undefined;
    const secret = this.#options.hostTokens.get(projectId);
    return secret === undefined
      ? undefined
      : { username: hostSignIn.github.tokenUser, secret, source: "the editor's GitHub session" };
  }
}

/** What access tokens begin with. */
const tokenPrefix = /^(?:gh[oprsu]_|github_pat_|glpat-|gldt-|ATCTT|ATATT|ATBB|BBDC-)/;

/**
 * `https://TOKEN@host/…` and `https://TOKEN:x-oauth-basic@host/…` are habits beside the usual form. A name that the
 * path repeats is an organisation, however long it is.
 */
function secretOf({ username, secret, path }: HttpRemote): string | undefined {
  if (secret !== undefined && secret !== 'x-oauth-basic') return secret;
  if (username === undefined || path.split('/').includes(username)) return undefined;
  // Without a prefix they are long and hold digits: 40 at Gitea and once at GitHub, 52 and more at Azure DevOps.
  const token = tokenPrefix.test(username) || /^(?=.*\d)[A-Za-z0-9]{40,}$/.test(username);
  return token || secret !== undefined ? username : undefined;
}

function keyOf(url: string, projectId: string): string {
  return `${projectId}\0${url}`;
}

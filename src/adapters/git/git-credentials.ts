import type { ServiceConfig } from '../../service/config.ts';
import { configuredHost, hostPlace } from '../../service/host-place.ts';
import { gitUser, hostSignIn, howToSignIn } from '../../service/host-sign-in.ts';
import type { HostTokens } from '../../service/host-tokens.ts';
import type { Credential, Credentials } from '../../service/ports/credentials.ts';
import type { Redactor } from '../../service/redaction.ts';
import { parseRemoteUrl } from '../../service/remote-url.ts';
import { type Git, GitFailure } from './run-git.ts';
import { tokenFor, tokenUser } from './token-variables.ts';

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

  constructor(options: GitCredentialsOptions) {
    this.#options = options;
    for (const [host, { token, username }] of Object.entries(options.hosts)) {
      if (token !== undefined) {
        options.redactor.register(token, username ?? tokenUser(host, token, options.hosts));
      }
    }
  }

  /** Keeps, in memory, what a remote's address held, because the address itself is shown and stored. */
  remember(remoteUrl: string, username: string | undefined, secret: string): void {
    const remote = parseRemoteUrl(remoteUrl);
    const host = remote && remote.kind !== 'file' ? remote.host : '';
    const credential = {
      username: username ?? tokenUser(host, secret, this.#options.hosts),
      secret,
      source: "the remote's address",
    };
    this.#options.redactor.register(secret, credential.username);
    this.#embedded.set(remoteUrl, credential);
  }

  async find(remoteUrl: string, projectId: string, signal: AbortSignal): Promise<Credential | undefined> {
    const remote = parseRemoteUrl(remoteUrl);
    if (remote === undefined || remote.kind === 'file' || remote.kind === 'git') return undefined;
    if (remote.kind === 'http' && !remote.mayCarrySecrets) return undefined;
    const found =
      this.#configured(remote.host) ??
      this.#fromEnvironment(remote.host) ??
      this.#embedded.get(remoteUrl) ??
      (await this.#fromHelper(remote, signal)) ??
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
    remote: { kind: string; host: string; path: string; url: string },
    signal: AbortSignal,
  ): Promise<Credential | undefined> {
    const protocol = remote.kind === 'http' ? new URL(remote.url).protocol.slice(0, -1) : 'https';
    // As the remote writes it: some helpers keep one credential a path.
    const path = remote.kind === 'http' ? new URL(remote.url).pathname.slice(1) : `${remote.path}.git`;
    const input = `protocol=${protocol}\nhost=${remote.host}\npath=${path}\n\n`;
    if (/[\0\r]/.test(input) || input.split('\n').length !== 5) return undefined;
    try {
      const { stdout } = await this.#options.git.run(['credential', 'fill'], {
        scope: 'user',
        input,
        signal,
        timeLimitMs: helperTimeLimitMs,
      });
      return this.#readAnswer(stdout, remote.host);
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

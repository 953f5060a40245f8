import path from 'node:path';
import { gitUser } from '../../service/host-sign-in.ts';
import type { Credential } from '../../service/ports/credentials.ts';
import type { RemoteUrl } from '../../service/remote-url.ts';
import { ServiceError } from '../../service/service-error.ts';
import type { ConfigurationEntry } from './environment.ts';
import type { GitCredentials } from './git-credentials.ts';
import { type Git, GitFailure, type GitResult, type RunOptions } from './run-git.ts';

/** A remote, and for whom it is opened. */
export interface Access {
  readonly remote: RemoteUrl;
  readonly projectId: string;
  /** Of the person, for this checkout; undefined: as everywhere. */
  readonly sshCommand: string | undefined;
}

/** Runs the commands that talk to a remote, each with its own credential and for its own time only. */
export class RemoteAccess {
  readonly #git: Git;
  readonly #credentials: Pick<GitCredentials, 'find' | 'howToSignIn'>;
  readonly #env: NodeJS.ProcessEnv;
  #sshCommand: Promise<string> | undefined;

  constructor(git: Git, credentials: Pick<GitCredentials, 'find' | 'howToSignIn'>, env: NodeJS.ProcessEnv) {
    this.#git = git;
    this.#credentials = credentials;
    this.#env = env;
  }

  async run(
    access: Access,
    args: readonly string[],
    options: RunOptions & { signal: AbortSignal | undefined },
  ): Promise<GitResult> {
    const { remote, projectId } = access;
    const signal = options.signal ?? new AbortController().signal;
    const credential =
      remote.kind === 'http' && remote.mayCarrySecrets
        ? await this.#credentials.find(remote.url, projectId, signal)
        : undefined;
    const config = [
      ...(options.config ?? []),
      standsForItself(remote.url),
      ...(remote.kind === 'http' && credential ? withCredential(remote.url, credential) : []),
    ];
    const env: Record<string, string> = { ...options.env };
    if (remote.kind === 'ssh') env['GIT_SSH_COMMAND'] = await this.#ssh(access.sshCommand);
    try {
      return await this.#git.run(args, { ...options, scope: 'user', config, env });
    } catch (error) {
      throw this.#named(error, remote, credential);
    }
  }

  /** A sign-in that is missing or not accepted is told with what to do, or where the bad one was found. */
  #named(error: unknown, remote: RemoteUrl, credential: Credential | undefined): unknown {
    if (remote.kind !== 'http' || !isRefusedSignIn(error)) return error;
    const sentence =
      credential === undefined
        ? this.#credentials.howToSignIn(remote.url)
        : `The host of the repository does not accept the sign-in (${credential.source}). It may have expired: renew it and try again.`;
    return sentence === undefined
      ? error
      : new ServiceError('authentication_failed', sentence, { cause: error });
  }

  /** The person's own ssh, told never to ask. */
  async #ssh(ofCheckout: string | undefined): Promise<string> {
    const program = this.#env['GIT_SSH'];
    const command =
      this.#env['GIT_SSH_COMMAND'] ||
      ofCheckout ||
      (await this.#configuredSsh()) ||
      (program ? `"${program.replaceAll('\\', '/')}"` : 'ssh');
    const variant =
      this.#env['GIT_SSH_VARIANT'] ?? path.basename(command.replaceAll('\\', '/')).toLowerCase();
    return /plink/.test(variant) ? `${command} -batch` : `${command} -o BatchMode=yes`;
  }

  #configuredSsh(): Promise<string> {
    const args = ['config', '--get', 'core.sshCommand'];
    this.#sshCommand ??= this.#git.line(args, { scope: 'user', accept: [1] });
    return this.#sshCommand;
  }
}

function isRefusedSignIn(error: unknown): boolean {
  // With every helper turned off, git would ask once the host has refused the header.
  return (
    error instanceof GitFailure &&
    /Authentication failed|could not read (?:Username|Password)|returned error: 401|invalid credentials/i.test(
      error.stderr,
    )
  );
}

/**
 * No `insteadOf` counts a second time: it may lead elsewhere, or hold a secret, which would go over an open network,
 * and which every process of the machine could read in the arguments of git's own child. The longest match counts.
 */
function standsForItself(url: string): ConfigurationEntry {
  return { key: `url.${url}.insteadOf`, value: url };
}

/**
 * The key holds the remote's whole address, so that no entry of the person's configuration is more
 * particular; the empty value drops what was collected before. No redirect is followed, because git
 * would send the header on to the other server, and what is pushed goes where the credential belongs. No
 * helper is asked, because git would tell it to forget what the host did not like.
 */
function withCredential(url: string, credential: Credential): ConfigurationEntry[] {
  const basic = Buffer.from(`${gitUser(credential)}:${credential.secret}`).toString('base64');
  const header = `Authorization: Basic ${basic}`;
  return [
    { key: `http.${url}.extraHeader`, value: '' },
    { key: `http.${url}.extraHeader`, value: header },
    { key: 'http.followRedirects', value: 'false' },
    { key: 'credential.helper', value: '' },
    { key: `url.${url}.pushInsteadOf`, value: url },
  ];
}

/** What opens a code host. Registered for redaction before it is answered. */
export interface Credential {
  readonly username: string;
  readonly secret: string;
  /** Where it was found, for people: "the service's configuration", "GITHUB_TOKEN", "git credential". */
  readonly source: string;
}

/**
 * Finds the credential of a remote: the service's own configuration, the host's usual environment
 * variable, what `git credential fill` answers without prompting, then the editor's own session that
 * came with the project. Undefined when there is none.
 */
export interface Credentials {
  find(remoteUrl: string, projectId: string, signal: AbortSignal): Promise<Credential | undefined>;
}

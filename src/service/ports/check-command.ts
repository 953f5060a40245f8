export type CheckCommandResult =
  | { readonly kind: 'passed' }
  /** `output`: what it wrote, bounded, without colours and without secrets. */
  | { readonly kind: 'failed'; readonly exitCode: number; readonly output: string }
  /** It said nothing about the pages: it could not be started, or took too long. `why`: one sentence. */
  | { readonly kind: 'broken_off'; readonly why: string };

/** Runs the check command that a person has allowed for a repository. */
export interface CheckCommand {
  /**
   * @param command a line as one would type it in a terminal of this machine
   * @param directory where it runs; it may write there
   * @throws the signal's reason, once nothing of it runs any more
   */
  run(command: string, directory: string, signal: AbortSignal): Promise<CheckCommandResult>;
}

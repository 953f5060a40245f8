export interface AgentTask {
  /** The message to do now. */
  readonly prompt: string;
  /** What was asked and done before in this job, oldest first. */
  readonly earlier: readonly { readonly prompt: string; readonly summary: string }[];
  /** The job's workspace: a plain directory without `.git`. Nothing outside it may be touched. */
  readonly directory: string;
  /** Folder of the docs inside the workspace, with `/`; empty for the whole workspace. */
  readonly docsRoot: string;
  readonly signal: AbortSignal;
  /** Tells what the agent is doing, as one phrase for people. */
  readonly onProgress: (message: string) => void;
}

export interface AgentResult {
  /** What was done, page by page, as Markdown; becomes part of the pull request's text. */
  readonly summary: string;
  /** A short title of the change for the pull request. */
  readonly title: string;
}

/**
 * Changes the files of one workspace as a prompt says. An agent knows no job, no git and no code host.
 * It throws `ServiceError` for what the writer should read, anything else counts as its crash.
 */
export interface Agent {
  /** What the job's `model` tells: which agent, and where there is one, which model. */
  readonly name: string;
  run(task: AgentTask): Promise<AgentResult>;
}

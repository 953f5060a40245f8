/** Tokens that went to a model and came from it. */
export interface TokensSpent {
  readonly input: number;
  readonly output: number;
}

export interface AgentTask {
  /** The message to do now. */
  readonly prompt: string;
  /** What was asked and done before in this job, oldest first. */
  readonly earlier: readonly { readonly prompt: string; readonly summary: string }[];
  /**
   * What the checks found after the agent's answer to this very prompt, one sentence each: they go back to
   * it. Absent at its first answer. Holds text of the pages.
   */
  readonly repair?: readonly string[];
  /** What the agent's last result in this job held as `conversation`: it goes on from there. */
  readonly conversation?: string;
  /** The job's workspace: a plain directory without `.git`. Nothing outside it may be touched. */
  readonly directory: string;
  /** Folder of the docs inside the workspace, with `/`; empty for the whole workspace. */
  readonly docsRoot: string;
  /** Whether files outside the docs folder may be changed. */
  readonly outsideDocsRoot: boolean;
  readonly signal: AbortSignal;
  /** Tells what the agent is doing, as one phrase for people. */
  readonly onProgress: (message: string) => void;
  /** What this message has cost already: in attempts that failed, and before a repair. */
  readonly spent?: TokensSpent;
  /** Tells what the message has cost by now, {@link spent} included, whenever it has become more. */
  readonly onSpent?: (spent: TokensSpent) => void;
}

export interface AgentResult {
  /** What was done, page by page, as Markdown; becomes part of the pull request's text. */
  readonly summary: string;
  /** A short title of the change for the pull request. */
  readonly title: string;
  /** Which agent and model really answered, when that is more than {@link Agent.name} told. */
  readonly model?: string;
  /** Handed to the next run in this job. Kept in the job's record, so it is bounded and holds no secret. */
  readonly conversation?: string;
}

/**
 * Changes the files of one workspace as a prompt says. An agent knows no job, no git and no code host.
 * It throws `ServiceError` for what the writer should read, anything else counts as its crash.
 */
export interface Agent {
  /** What the job's `model` tells: which agent, and where there is one, which model. */
  readonly name: string;
  /** Whether what the checks find is worth sending back to it. */
  readonly repairs: boolean;
  run(task: AgentTask): Promise<AgentResult>;
}

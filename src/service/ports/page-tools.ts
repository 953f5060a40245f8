/** Where an agent's tools work. */
export interface ToolPlace {
  /** The job's workspace. Nothing outside it can be reached, also not by a symbolic link. */
  readonly directory: string;
  /** Folder of the docs inside it, with `/`; empty for the whole. */
  readonly docsRoot: string;
  readonly outsideDocsRoot: boolean;
}

/** One use of a tool, as a model asked for it: both fields are untrusted. */
export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

export interface ToolAnswer {
  /** For the model; bounded in length. */
  readonly text: string;
  /** True when nothing was done; the text then says why and what to do instead. */
  readonly failed: boolean;
}

/** What a model may do with the pages of a workspace. Never throws for what a model did wrong. */
export interface PageTools {
  use(call: ToolCall, place: ToolPlace, signal: AbortSignal): Promise<ToolAnswer>;
}

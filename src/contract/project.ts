import * as z from 'zod/v4';

/** Letters, digits, `.`, `_` and `-`; what provider dashboards hand out fits in it too. */
export const projectIdSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
    'A project id has letters, digits, dots, dashes and underscores.',
  );

/** Extras of a pull request. What a host does not have, or refuses, costs a warning and never the job. */
export const pullRequestExtrasSchema = z.object({
  draft: z.boolean().optional(),
  labels: z.array(z.string().min(1).max(100)).max(20).optional(),
  /** Account names at the code host. */
  reviewers: z.array(z.string().min(1).max(100)).max(20).optional(),
});
export type PullRequestExtras = z.infer<typeof pullRequestExtrasSchema>;

/**
 * What a project id stands for at our service. A repeated request with the same body changes nothing.
 */
export const projectRequestSchema = z.object({
  /** Absolute path of a folder inside a local repository, or the URL of a remote one. */
  repository: z.string().min(1).max(4096),
  /** The branch that jobs start from and merge into; absent: the repository's default branch. */
  baseBranch: z.string().min(1).max(255).optional(),
  /** Folder of the docs inside the repository, with `/`; absent: the whole repository. */
  docsRoot: z.string().max(1024).optional(),
  pullRequest: pullRequestExtrasSchema.optional(),
  /**
   * The check command that the user has allowed for this repository, word for word. It runs only when the
   * repository's own settings name the same one.
   */
  allowedCheck: z.string().min(1).max(1000).optional(),
  /**
   * A token for the repository's code host, for example of the editor's own session. Kept in memory
   * only, never stored, never answered.
   */
  hostToken: z.string().min(1).max(4096).optional(),
});
export type ProjectRequest = z.infer<typeof projectRequestSchema>;

export const projectSchema = projectRequestSchema.omit({ hostToken: true }).extend({ id: projectIdSchema });
export type Project = z.infer<typeof projectSchema>;

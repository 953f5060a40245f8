import * as z from 'zod/v4';

/** Letters, digits, `.`, `_` and `-`; what provider dashboards hand out fits in it too. */
export const projectIdSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
    'A project id has letters, digits, dots, dashes and underscores.',
  );

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
  /**
   * A token for the repository's code host, for example of the editor's own session. Kept in memory
   * only, never stored, never answered.
   */
  hostToken: z.string().min(1).max(4096).optional(),
});
export type ProjectRequest = z.infer<typeof projectRequestSchema>;

export const projectSchema = projectRequestSchema.omit({ hostToken: true }).extend({ id: projectIdSchema });
export type Project = z.infer<typeof projectSchema>;

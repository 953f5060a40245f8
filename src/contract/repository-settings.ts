import * as z from 'zod/v4';

/** The file at the top of a repository in which it says what Docs Agent should do there. */
export const repositorySettingsName = '.docs-agent.json';

/** A real one has a few lines. */
export const maxRepositorySettingsBytes = 64 * 1024;

/**
 * What a repository may say. It is text of a stranger, and a command is shown before it is allowed: one that
 * would look different from what it does (line breaks, invisible and direction marks) is none.
 */
const repositorySettingsSchema = z.object({
  /** Runs after each job, where a person has allowed it for this repository, word for word. */
  check: z
    .string()
    .min(1)
    .max(1000)
    .refine((line) => line.trim() !== '' && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(line))
    .optional(),
});
export type RepositorySettings = z.infer<typeof repositorySettingsSchema>;

/** Undefined for a text that is no such file. What it says beside the known names is passed over. */
export function parseRepositorySettings(text: string): RepositorySettings | undefined {
  if (text.length > maxRepositorySettingsBytes) return undefined;
  try {
    return repositorySettingsSchema.safeParse(JSON.parse(text.replace(/^\uFEFF/, ''))).data;
  } catch {
    return undefined;
  }
}

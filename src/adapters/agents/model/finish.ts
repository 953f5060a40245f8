import * as z from 'zod/v4';

export const finishName = 'finish';

/** How the model ends its work. Missing fields cost nothing: a summary is made up then. */
export const finishTool = {
  name: finishName,
  description:
    'Ends your work. Call it once, after all changes are made and checked, or when nothing needs to change.',
  inputSchema: z.object({
    title: z.string().describe('Title of the pull request, at most 70 characters. Says what changed.'),
    summary: z
      .string()
      .describe('For the reviewer, in Markdown: what changed, page by page, and what is left open.'),
  }),
};

const readSchema = z.object({
  title: z.string().catch(''),
  summary: z.string().catch(''),
});

/** What a call of `finish` says; undefined when its arguments were no object. */
export function finishOf(input: unknown): { readonly title: string; readonly summary: string } | undefined {
  const parsed = readSchema.safeParse(input);
  return parsed.success ? parsed.data : undefined;
}

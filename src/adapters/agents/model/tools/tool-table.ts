import * as z from 'zod/v4';

/** Everything that a model may do with the pages of a workspace. */
export type ToolName =
  | 'list_files'
  | 'search'
  | 'outline'
  | 'read_file'
  | 'edit_file'
  | 'write_file'
  | 'move_file'
  | 'delete_file'
  | 'run_checks'
  | 'run_rule';

/** One tool as a model is told of it. */
export interface ToolEntry {
  readonly name: ToolName;
  /** Written for a model. */
  readonly description: string;
  readonly input: z.ZodObject;
  /** Whether a use may change files. */
  readonly writes: boolean;
}

const path = (what: string) =>
  z
    .string()
    .describe(`${what}: a path from the top of the workspace with "/", such as "docs/guides/install.md".`);
const offset = z
  .int()
  .min(0)
  .optional()
  .describe('How many results to skip: take it from the end of the last answer.');

const listFiles = z.object({
  path: z
    .string()
    .optional()
    .describe('Folder to list. Without it, the docs folder. "." is the whole workspace.'),
  pattern: z
    .string()
    .optional()
    .describe(
      'Only files that fit, such as "*.mdx", "guides/**" or "**/api-*.{md,mdx}". With it, all folders below are looked through.',
    ),
  recursive: z.boolean().optional().describe('Also the files of folders below. Default false.'),
  offset,
  limit: z.int().min(1).max(500).optional().describe('Entries in one answer. Default 200.'),
});

const search = z.object({
  query: z.string().describe('What to look for, within one line.'),
  regex: z
    .boolean()
    .optional()
    .describe(
      'Read the query as a regular expression. Default false. No look-around and no back-references.',
    ),
  matchCase: z.boolean().optional().describe('Capitals count. Default false.'),
  wholeWord: z.boolean().optional().describe('Only whole words. Default false.'),
  path: z
    .string()
    .optional()
    .describe('Only in this folder or file. Without it, the docs folder. "." is the whole workspace.'),
  pattern: z.string().optional().describe('Only in files that fit, such as "*.mdx" or "guides/**".'),
  context: z
    .int()
    .min(0)
    .max(10)
    .optional()
    .describe('Lines to show before and after each match. Default 0.'),
  offset,
  limit: z.int().min(1).max(100).optional().describe('Files in one answer. Default 20.'),
});

const outline = z.object({
  path: z
    .string()
    .optional()
    .describe(
      'A page: its headings with line numbers and anchors. A folder: the title of each page. Without it, the docs folder.',
    ),
  offset,
});

const readFile = z.object({
  path: path('The file to read'),
  startLine: z.int().min(1).optional().describe('First line, counted from 1. Default 1.'),
  endLine: z.int().min(1).optional().describe('Last line, included. Default: as many as fit in one answer.'),
});

const edit = z.object({
  oldText: z
    .string()
    .describe(
      'The text that stands there now, exactly, without line numbers. It must occur once; take in enough around it.',
    ),
  newText: z.string().describe('What shall stand there instead. Empty takes it away.'),
  replaceAll: z.boolean().optional().describe('Replace each place where oldText occurs. Default false.'),
});

const editFile = z.object({
  path: path('The file to edit'),
  edits: z
    .array(edit)
    .min(1)
    .max(100)
    .describe('Done one after the other. When one does not fit, none is done.'),
});

const writeFile = z.object({
  path: path('The file to write'),
  content: z.string().describe('The whole text of the file.'),
  version: z
    .string()
    .optional()
    .describe(
      'Needed when the file exists: the version that read_file or the last change of this file told.',
    ),
});

const moveFile = z.object({
  from: path('The file to move or rename'),
  to: path('Its new path; the folders of it are made'),
});

const deleteFile = z.object({ path: path('The file to delete') });

const runChecks = z.object({
  paths: z
    .array(z.string())
    .max(200)
    .optional()
    .describe('Pages or folders to check. Without it, the pages that were changed since this work began.'),
});

const runRule = z.object({
  instruction: z
    .string()
    .describe(
      'One instruction in the fixed wording of the rules, such as: replace "log in" with "sign in" in guides/',
    ),
});

/**
 * The tools of the model agent, in the order in which a model is told of them. Inputs are checked by
 * `PageTools.use` itself, and more leniently than these schemas say: models send numbers as text.
 */
export const toolTable = [
  {
    name: 'list_files',
    description:
      'Lists files and folders, with the number of pages in each folder. Begin here or with search; on a big project list single folders.',
    input: listFiles,
    writes: false,
  },
  {
    name: 'search',
    description:
      'Finds lines in the text files, the most relevant files first: path, line number and line of each match. Use it before reading: it is fast on thousands of pages.',
    input: search,
    writes: false,
  },
  {
    name: 'outline',
    description:
      'Shows the headings of a page with their lines and anchors, or the titles of the pages of a folder. Use it to choose which lines to read, and for the anchor of a link.',
    input: outline,
    writes: false,
  },
  {
    name: 'read_file',
    description:
      'Reads a text file, or some lines of it. Each line begins with its number and a tab, which are no part of the file. The answer tells the version of the file, and how to read on when it was cut.',
    input: readFile,
    writes: false,
  },
  {
    name: 'edit_file',
    description:
      'Changes parts of a file by exact replacement, several at once; all of them or none. Read the lines first and copy oldText exactly, without line numbers. Line endings stay as they are in the file.',
    input: editFile,
    writes: true,
  },
  {
    name: 'write_file',
    description:
      'Makes a new file with the folders for it, or replaces the whole text of one that you have read. For a change of some lines use edit_file instead.',
    input: writeFile,
    writes: true,
  },
  {
    name: 'move_file',
    description:
      'Moves or renames a page and repairs what names it: links and anchors of other pages, its own relative links, navigation, redirects. Always use it instead of writing a new page and deleting the old one.',
    input: moveFile,
    writes: true,
  },
  {
    name: 'delete_file',
    description:
      'Deletes one file and tells which pages still link to it and which navigation still lists it, so that you can mend them.',
    input: deleteFile,
    writes: true,
  },
  {
    name: 'run_checks',
    description:
      'Checks pages as the site would read them: syntax of MDX, front matter, links, anchors, images. Tells only problems. Run it when you have finished changing pages, and mend what your changes broke.',
    input: runChecks,
    writes: false,
  },
  {
    name: 'run_rule',
    description:
      'Carries out one fixed instruction on all pages at once, safely and without reading them: replace "old term" with "new term" (add: in guides/, except in guides/auth.md, match case, also in code) · fix broken links · rename page guides/old to guides/new · tidy Markdown · apply terms. Prefer it to many single edits.',
    input: runRule,
    writes: true,
  },
] as const satisfies readonly ToolEntry[];

type Table = (typeof toolTable)[number];

/** The parsed input of one tool. */
export type ToolInput<Name extends ToolName> = z.infer<Extract<Table, { name: Name }>['input']>;

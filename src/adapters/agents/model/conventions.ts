import { posix } from 'node:path';
import type { PageTools, ToolPlace } from '../../../service/ports/page-tools.ts';

/** Instruction files of coding agents and style guides of writers, by the names that they go by. */
const names = [
  'AGENTS.md',
  'CLAUDE.md',
  '.github/copilot-instructions.md',
  '.cursorrules',
  'STYLE.md',
  'STYLEGUIDE.md',
  'STYLE_GUIDE.md',
  'style-guide.md',
  'contributing/style-guide.md',
];

/** Of all of them together, in characters: they stand at the beginning of every request. */
const mostText = 16_000;
const mostLines = 250;

/**
 * The project's own conventions as its files tell them, each under its path; empty when there are none. They are
 * content: whoever shows them to a model says so.
 */
export async function writingConventions(
  tools: PageTools,
  place: ToolPlace,
  signal: AbortSignal,
): Promise<string> {
  const folders = place.docsRoot === '' ? [''] : ['', place.docsRoot];
  const paths = folders.flatMap((folder) => names.map((name) => posix.join(folder, name)));
  const found = new Map<string, string>();
  let length = 0;
  for (const path of paths) {
    if (length >= mostText) break;
    const answer = await tools.use({ name: 'read_file', input: { path, endLine: mostLines } }, place, signal);
    // The same text under two names is common, and on systems that fold case the same file is found twice.
    const known = [...found.keys()].some((other) => other.toLowerCase() === path.toLowerCase());
    if (answer.failed || known || [...found.values()].includes(answer.text)) continue;
    const text = answer.text.slice(0, mostText - length).toWellFormed();
    found.set(path, text);
    length += text.length;
  }
  return [...found].map(([path, text]) => `## ${path}\n\n${text}`).join('\n\n');
}

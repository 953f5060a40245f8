import { posix } from 'node:path';
import type { PageTools, ToolPlace } from '../../../service/ports/page-tools.ts';

/** Instruction files of coding agents and style guides of writers, by the names that they go by. */
const names = [
  'AGENTS.md',
  'CLAUDE.md',
  '.claude/CLAUDE.md',
  '.mintlify/AGENTS.md',
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
  const found = new Map<string, string>();
  let length = 0;
  for (const path of await pathsThere(tools, place, signal)) {
    if (length >= mostText) break;
    const answer = await tools.use({ name: 'read_file', input: { path, endLine: mostLines } }, place, signal);
    if (answer.failed) continue;
    const text = plain(answer.text, path);
    // The same text under two names is common.
    if (text.trim() === '' || [...found.values()].includes(text)) continue;
    found.set(path, text.slice(0, mostText - length).toWellFormed());
    length += text.length;
  }
  return [...found].map(([path, text]) => `## ${path}\n\n${text}`).join('\n\n');
}

/** Those that exist, by one look: a question for each would walk through a large project each time. */
async function pathsThere(tools: PageTools, place: ToolPlace, signal: AbortSignal): Promise<string[]> {
  const folders = place.docsRoot === '' ? [''] : ['', place.docsRoot];
  const pattern = `{${[...new Set(names.map((name) => posix.basename(name)))].join(',')}}`;
  const listing = await tools.use(
    { name: 'list_files', input: { path: '.', pattern, limit: 500 } },
    place,
    signal,
  );
  if (listing.failed) return [];
  const lines = new Set(listing.text.split('\n'));
  return folders
    .flatMap((folder) => names.map((name) => posix.join(folder, name)))
    .filter((path) => lines.has(path));
}

/** Without what `read_file` adds for editing: the line of facts and the numbers of lines. */
function plain(text: string, path: string): string {
  const body = text.startsWith(`${path}, version `) ? text.slice(text.indexOf('\n') + 1) : text;
  return body.replace(/^\d+\t/gm, '');
}

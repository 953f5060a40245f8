import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

const sentences = [
  'Open the dashboard and choose the workspace that the report belongs to.',
  'A token is valid for ninety days; after that every request answers 401.',
  'The importer reads one file at a time and keeps the order of its rows.',
  'When a step fails, the run stops and the log names the file and the line.',
  'Use the sandbox first: nothing in it reaches a customer.',
  'Retries wait a second, then two, then four, and give up after five attempts.',
  'Every field that has no default must be in the request.',
  'The schedule is kept in UTC and shown in the reader’s own time zone.',
];

export interface GeneratedDocs {
  readonly pages: number;
  /** Pages in whose prose "log in" occurs, once each. */
  readonly pagesWithTerm: number;
}

/**
 * Writes a docs project of `pages` Markdown pages below `directory`: about 2.1 kB each, 100 to a folder,
 * with front matter, headings, links to neighbours, a list, a table and a code fence. Every tenth page says
 * "log in" once in its prose; every page says it in code, where a careful edit leaves it alone.
 */
export async function generateDocs(directory: string, pages: number): Promise<GeneratedDocs> {
  let pagesWithTerm = 0;
  for (let folder = 0; folder * 100 < pages; folder += 1) {
    const folderPath = path.join(directory, 'docs', `part-${folder}`);
    await mkdir(folderPath, { recursive: true });
    const inFolder = Math.min(100, pages - folder * 100);
    await Promise.all(
      Array.from({ length: inFolder }, async (_, index) => {
        const number = folder * 100 + index;
        if (number % 10 === 0) pagesWithTerm += 1;
        await writeFile(path.join(folderPath, `page-${index}.md`), page(number, index, inFolder));
      }),
    );
  }
  return { pages, pagesWithTerm };
}

function page(number: number, index: number, inFolder: number): string {
  const text = (offset: number): string =>
    Array.from({ length: 5 }, (_, i) => sentences[(number + offset + i * 3) % sentences.length]).join(' ');
  const next = (index + 1) % inFolder;
  return [
    '---',
    `title: Page ${number}`,
    `description: What page ${number} is about`,
    '---',
    '',
    `# Page ${number}`,
    '',
    number % 10 === 0 ? `First log in to the console. ${text(0)}` : text(0),
    '',
    '## Before you start',
    '',
    `${text(1)} See [the next page](page-${next}.md#before-you-start).`,
    '',
    `- ${sentences[number % 8]}`,
    `- ${sentences[(number + 1) % 8]}`,
    '',
    '| Option | Default |',
    '| --- | --- |',
    `| \`limit\` | ${number % 50} |`,
    '',
    '```sh',
    `tool log in --page ${number}`,
    '```',
    '',
    '## Steps',
    '',
    text(2),
    '',
    text(3),
    '',
    text(4),
    '',
  ].join('\n');
}

import { findContained } from '../../../../docset/contained-path.ts';
import { anchorsOf } from '../../../../docset/anchors.ts';
import { isPage } from '../../../../docset/docset.ts';
import { readFrontMatter } from '../../../../docset/front-matter.ts';
import { detectLayout } from '../../../../docset/layout.ts';
import { parsePage } from '../../../../docset/parse.ts';
import { spanOf, walkTree } from '../../../../docset/tree.ts';
import type { PageNode } from '../../../../docset/tree.ts';
import type { ToolAnswer } from '../../../../service/ports/page-tools.ts';
import { suggestion } from './read-file.ts';
import { readText } from './text-content.ts';
import { count, done, failed, longestAnswer, Room, shortLine } from './tool-answer.ts';
import { folderArgument, rootOf } from './tool-run.ts';
import type { ToolRun } from './tool-run.ts';
import type { ToolInput } from './tool-table.ts';
import { walkFiles } from './walk-files.ts';

/** Pages of a folder in one answer. */
const pagesAtOnce = 100;
const headingsAtOnce = 300;
const longestTitle = 150;

export async function outline(run: ToolRun, input: ToolInput<'outline'>): Promise<ToolAnswer> {
  const found = await findContained(run.place.directory, folderArgument(input.path, run.place));
  if (found.kind === 'refused') return failed(found.reason);
  if (found.kind === 'missing')
    return failed(`There is no ${found.path}.${await suggestion(run, found.path)}`);
  const offset = input.offset ?? 0;
  return found.kind === 'file'
    ? outlineOfPage(run, found.path, offset)
    : outlineOfFolder(run, found.path, offset);
}

async function outlineOfPage(run: ToolRun, path: string, offset: number): Promise<ToolAnswer> {
  const read = await readText(run, path, 'read');
  if (read.kind === 'refused') return failed(read.why);
  if (read.kind === 'missing') return failed(`There is no ${path}.`);
  const lines = read.text.split('\n');
  // A line break at the end ends the last line and begins no further one.
  if (lines.at(-1) === '') lines.pop();
  const facts = `${path}, version ${read.version}, ${count(lines.length, 'line')}`;
  if (!isPage(path))
    return done(`${facts}. It is no page, so it has no headings: read it with read_file, or search in it.`);
  const { generator } = await detectLayout(await rootOf(run), run.place.docsRoot, []);
  const parsed = parsePage(read.text, path, generator);
  if (parsed.kind === 'failed') {
    const plain = plainHeadings(lines);
    return done(
      `${facts}. It cannot be parsed (line ${parsed.line}: ${parsed.reason}). Lines that look like headings:\n${part(plain, offset, headingsAtOnce)}`,
    );
  }
  const matter = readFrontMatter(read.text, parsed.tree);
  const title =
    matter.kind === 'valid' && typeof matter.data.title === 'string'
      ? `\ntitle: ${shortLine(matter.data.title, longestTitle)}`
      : '';
  const ids = anchorsOf(read.text, parsed.tree, generator).headings;
  const headings = headingsOf(parsed.tree).map((node, index) => {
    const line = node.position?.start.line ?? 1;
    const id = ids[index]?.id ?? '';
    const words = shortLine(
      read.text.slice(spanOf(node).start, spanOf(node).end).split('\n')[0] ?? '',
      longestTitle,
    );
    const text = words.startsWith('#') ? words : `${'#'.repeat(node.depth ?? 1)} ${words}`;
    return `${line}\t${text.trim()}${id === '' ? '' : `  (#${id})`}`;
  });
  if (headings.length === 0) return done(`${facts}${title}\nIt has no headings: read it with read_file.`);
  return done(`${facts}${title}\n${part(headings, offset, headingsAtOnce)}`);
}

function headingsOf(tree: PageNode): PageNode[] {
  const headings: PageNode[] = [];
  walkTree(tree, (node) => void (node.type === 'heading' && headings.push(node)));
  return headings;
}

function plainHeadings(lines: readonly string[]): string[] {
  return lines.flatMap((line, index) =>
    /^#{1,6} /.test(line) ? [`${index + 1}\t${shortLine(line.trim(), longestTitle)}`] : [],
  );
}

async function outlineOfFolder(run: ToolRun, folder: string, offset: number): Promise<ToolAnswer> {
  const { files } = await walkFiles(await rootOf(run), folder, run.signal);
  const pages = files.filter(isPage);
  const where = folder === '' ? 'The workspace' : folder;
  if (pages.length === 0) return done(`${where} has no pages. List it with list_files.`);
  const titles: string[] = [];
  for (const path of pages.slice(offset, offset + pagesAtOnce)) {
    run.signal.throwIfAborted();
    const read = await readText(run, path, 'read');
    titles.push(`${path}: ${read.kind === 'text' ? titleOf(read.text) : '(cannot be read)'}`);
  }
  const rest = pages.length - offset - titles.length;
  const more =
    rest > 0
      ? `\n… ${count(rest, 'more page')}: go on with offset ${offset + titles.length}, or outline a folder below.`
      : '';
  return done(`${where}: ${count(pages.length, 'page')}\n${titles.join('\n')}${more}`);
}

/** From the front matter or the first heading, without parsing: a folder may have hundreds of pages. */
function titleOf(text: string): string {
  const head = /^(?:---|\+\+\+)\r?\n[\s\S]{0,4000}?\r?\n(?:---|\+\+\+)/.exec(text.slice(0, 4_100))?.[0] ?? '';
  const title = /^title\s{0,3}[:=]\s{0,3}["']?([^\r\n]{1,300}?)["']?\s*$/m.exec(head)?.[1];
  const heading = /^#{1,2} ([^\r\n]{1,300})/m.exec(text.slice(head.length, 20_000))?.[1];
  return shortLine((title ?? heading ?? '(no title)').trim(), longestTitle);
}

function part(lines: readonly string[], offset: number, most: number): string {
  const room = new Room(longestAnswer - 1_000);
  let shown = 0;
  for (const line of lines.slice(offset, offset + most)) {
    if (!room.add(line)) break;
    shown += 1;
  }
  const rest = lines.length - offset - shown;
  return `${room.text}${rest > 0 ? `\n… ${rest} more: go on with offset ${offset + shown}.` : ''}`;
}

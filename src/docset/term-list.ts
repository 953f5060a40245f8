import { parse as parseYaml } from 'yaml';
import { wordsOfPattern } from './finite-pattern.ts';

/** One entry of a term list: what is wrong, what is right. */
export interface TermEntry {
  readonly wrong: string;
  readonly right: string;
  readonly matchCase: boolean;
}

export interface TermList {
  readonly entries: readonly TermEntry[];
  /** Entries that cannot be applied safely, as phrases with the reason. */
  readonly skipped: readonly string[];
}

/** More terms make a list that nobody can review. */
export const maximumTerms = 5000;

/**
 * Reads a term list: CSV or TSV, a Markdown table, YAML or JSON (a map, a list of pairs, or a substitution
 * rule of Vale). Undefined when the file is none.
 */
export function readTermList(text: string, path: string): TermList | undefined {
  const plain = text.replace(/^\uFEFF/, '');
  if (/\.(?:csv|tsv)$/i.test(path))
    return fromRows(tableRows(plain, /\.tsv$/i.test(path) ? '\t' : separatorOf(plain)), true);
  if (/\.(?:md|markdown)$/i.test(path)) return fromRows(markdownRows(plain), false);
  if (/\.(?:ya?ml|json)$/i.test(path)) return fromData(plain);
  return undefined;
}

const wrongNames =
  /^(?:wrong|avoid|from|old|term|bad|instead of|do(?:n['’]t| not)(?: use| say| write)?|not|find|deprecated|incorrect|never|variant|forbidden)$/i;
const rightNames =
  /^(?:right|use|to|new|replacement|replace(?: with)?|good|preferred|do|correct|say|write|instead|approved|use instead|preferred term)$/i;

/** What the second column of a glossary is called: it explains the word in the first, and is no word for it. */
const meaningNames =
  /^(?:definitions?|meanings?|descriptions?|explanations?|means|details|notes?|comments?|what it (?:is|means))$/i;

/** @param mayLackHead a table of Markdown always has one */
function fromRows(rows: readonly (readonly string[])[], mayLackHead: boolean): TermList | undefined {
  const [head, ...body] = rows;
  if (!head) return undefined;
  const wrong = head.findIndex((cell) => wrongNames.test(cell.trim()));
  const right = head.findIndex((cell, index) => index !== wrong && rightNames.test(cell.trim()));
  // Without a head that says which is which, two columns are read as "wrong, right" and nothing else is guessed.
  const named = wrong !== -1 && right !== -1;
  const isGlossary =
    /^terms?$/i.test(head[0]?.trim() ?? '') || head.some((cell) => meaningNames.test(cell.trim()));
  if (!named && (!mayLackHead || isGlossary || head.length !== 2)) return undefined;
  const list = new ListBuilder();
  for (const row of named ? body : rows)
    list.add(row[named ? wrong : 0] ?? '', row[named ? right : 1] ?? '', false);
  return list.build();
}

function separatorOf(text: string): string {
  const first = text.split('\n', 1)[0] ?? '';
  return first.includes(';') && !first.includes(',') ? ';' : ',';
}

function tableRows(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (character === '"' && cell.trim() === '') {
      quoted = true;
      cell = '';
    } else if (character === separator || character === '\n') {
      rows.at(-1)?.push(cell.trim());
      cell = '';
      if (character === '\n') rows.push([]);
    } else cell += character;
  }
  rows.at(-1)?.push(cell.trim());
  return rows.filter((row) => row.some((each) => each !== '') && !row[0]?.startsWith('#'));
}

function markdownRows(text: string): string[][] {
  const rows: string[][] = [];
  for (const line of text.split(/\r?\n/)) {
    const isRow = line.trim().startsWith('|');
    if (!isRow && rows.length > 0) break;
    if (!isRow || /^[\s|:-]+$/.test(line)) continue;
    const cells = line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|');
    rows.push(cells.map((cell) => cell.trim().replace(/^(?:\*\*|["“`*_])(.*?)(?:\*\*|["”`*_])$/, '$1')));
  }
  return rows;
}

function fromData(text: string): TermList | undefined {
  let data: unknown;
  try {
    data = parseYaml(text, { maxAliasCount: 20, logLevel: 'silent' });
  } catch {
    return undefined;
  }
  const list = new ListBuilder();
  if (isRecord(data) && 'extends' in data) {
    if (data.extends !== 'substitution' || !isRecord(data.swap)) return undefined;
    for (const [key, value] of Object.entries(data.swap))
      list.addPattern(key, value, data.ignorecase !== true);
    return list.build();
  }
  const source =
    isRecord(data) && !hasOnlyStrings(data)
      ? (data.terms ?? data.substitutions ?? data.swap ?? data.words)
      : data;
  if (Array.isArray(source)) {
    for (const item of source) {
      if (!isRecord(item)) return undefined;
      const keys = Object.keys(item);
      const wrong = keys.find((key) => wrongNames.test(key));
      const right = keys.find((key) => key !== wrong && rightNames.test(key));
      if (wrong === undefined || right === undefined) return undefined;
      for (const each of [item[wrong]].flat()) list.add(each, item[right], item.matchCase === true);
    }
  } else if (isRecord(source) && hasOnlyStrings(source)) {
    for (const [wrong, right] of Object.entries(source)) list.add(wrong, right, false);
  } else return undefined;
  return list.build();
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasOnlyStrings(data: Record<string, unknown>): boolean {
  return Object.values(data).every((value) => typeof value === 'string');
}

class ListBuilder {
  private readonly entries: TermEntry[] = [];
  private readonly skipped: string[] = [];

  add(wrong: unknown, right: unknown, matchCase: boolean): void {
    if (typeof wrong !== 'string' || typeof right !== 'string') return;
    const from = wrong.replaceAll(/\s+/g, ' ').trim();
    const to = right.replaceAll(/\s+/g, ' ').trim();
    if (from === '' || from === to || this.entries.length >= maximumTerms) return;
    if (to === '') this.skipped.push(`${from}: the list says no word for it`);
    else if (/[\p{L}\p{N}]/u.test(from) && from.length <= 200 && to.length <= 200)
      this.entries.push({ wrong: from, right: to, matchCase });
    else this.skipped.push(`${from.slice(0, 100)}: it is no word`);
  }

  /** Vale: the key is a regular expression, several right words are divided by `|`. */
  addPattern(pattern: string, right: unknown, matchCase: boolean): void {
    if (typeof right !== 'string') return;
    if (right.includes('|')) {
      this.skipped.push(`${pattern}: several words may stand for it (${right})`);
      return;
    }
    if (/\$\d/.test(right)) {
      this.skipped.push(`${pattern}: its replacement depends on what was found`);
      return;
    }
    const words = wordsOfPattern(pattern);
    if (!words) this.skipped.push(`${pattern}: the pattern is more than a list of spellings`);
    else for (const word of words) this.add(word, right, matchCase);
  }

  build(): TermList {
    return { entries: this.entries, skipped: this.skipped };
  }
}

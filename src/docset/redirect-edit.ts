import { applyEdits } from './edits.ts';
import type { NavigationFile, Renaming } from './navigation.ts';
import { posix } from 'node:path';
import { readYamlText } from './front-matter.ts';
import type { Layout } from './layout.ts';
import { urlOfPage } from './page-urls.ts';

export type RedirectResult =
  | { readonly kind: 'added'; readonly path: string; readonly text: string }
  /** `note` is a sentence for the writer. */
  | { readonly kind: 'none'; readonly note: string };

/** Sends the old address of a renamed page to the new one, where the generator has redirects in a file. */
export function addRedirect(
  layout: Layout,
  files: readonly NavigationFile[],
  renaming: Renaming,
): RedirectResult {
  const from = urlOfPage(renaming.from, layout);
  const to = urlOfPage(renaming.to, layout);
  if (from === to) return { kind: 'none', note: 'Its address is the same as before.' };
  if (from.toLowerCase() === to.toLowerCase()) {
    // Where capitals do not count, the redirect would lie on the page itself and go round in circles.
    return none(`The old address ${quotedUrl(from)} differs in capitals only, so no redirect was added.`);
  }
  switch (layout.generator) {
    case 'mintlify':
      return mintlifyRedirect(files, from, to);
    case 'mkdocs':
      return mkdocsRedirect(files, layout, renaming);
    case 'docusaurus':
      return docusaurusRedirect(files, from, to);
    default:
      return none(`I know no file for redirects of this site, so ${quotedUrl(from)} leads nowhere now.`);
  }
}

function none(note: string): RedirectResult {
  return { kind: 'none', note };
}

function quotedUrl(url: string): string {
  return `\`${url.replaceAll('`', '')}\``;
}

function mintlifyRedirect(files: readonly NavigationFile[], from: string, to: string): RedirectResult {
  const main = files[0];
  if (!main) return none('There is no configuration to put a redirect in.');
  const place = jsonValueAt(main.text, 'redirects');
  const reference =
    place &&
    /^\{\s*"\$ref"\s*:\s*"([^"\n]{1,300})"/.exec(main.text.slice(place.start, place.start + 400))?.[1];
  const file =
    reference === undefined
      ? main
      : files.find(({ path }) => path === posix.join(posix.dirname(main.path), reference));
  if (!file) return none('The file with the redirects was not found, so none was added.');
  const list = file === main ? place : { start: file.text.search(/\S/) };
  const entry = (indent: string, unit: string, newline: string): string =>
    `{${newline}${indent}${unit}"source": ${JSON.stringify(from)},${newline}${indent}${unit}"destination": ${JSON.stringify(to)}${newline}${indent}}`;
  const newline = file.text.includes('\r\n') ? '\r\n' : '\n';
  let text: string;
  if (!list) {
    const end = file.text.lastIndexOf('}');
    const last = file.text.slice(0, end).trimEnd();
    const unit = /\n([ \t]+)"/.exec(file.text)?.[1] ?? '  ';
    const property = `,${newline}${unit}"redirects": [${newline}${unit}${unit}${entry(unit + unit, unit, newline)}${newline}${unit}]`;
    text = last + property + file.text.slice(last.length);
  } else {
    if (file.text[list.start] !== '[') return none('The redirects are no list, so none was added.');
    const end = endOfJsonValue(file.text, list.start) - 1;
    const before = file.text.slice(0, end).trimEnd();
    const isEmpty = before.length === list.start + 1;
    const closing = /[ \t]*$/.exec(file.text.slice(0, end))?.[0] ?? '';
    const inner = [...file.text.slice(list.start, end).matchAll(/\n([ \t]*)\{/g)].at(-1)?.[1];
    const indent = inner ?? `${closing}  `;
    const property = [...file.text.slice(list.start, end).matchAll(/\n([ \t]*)"/g)].at(-1)?.[1] ?? '';
    const unit = property.startsWith(indent) && property !== indent ? property.slice(indent.length) : '  ';
    const tail = isEmpty || inner === undefined ? newline + closing : file.text.slice(before.length, end);
    text = `${before}${isEmpty ? '' : ','}${newline}${indent}${entry(indent, unit, newline)}${tail}${file.text.slice(end)}`;
  }
  return isJson(text)
    ? { kind: 'added', path: file.path, text }
    : none('The redirect could not be added safely.');
}

/** Where the value of a property of the outermost object begins. */
function jsonValueAt(text: string, name: string): { start: number } | undefined {
  let at = text.indexOf('{') + 1;
  for (;;) {
    const key = /\s*,?\s*"((?:[^"\\]|\\.)*)"\s*:\s*/y;
    key.lastIndex = at;
    const found = key.exec(text);
    if (!found) return undefined;
    if (found[1] === name) return { start: key.lastIndex };
    at = endOfJsonValue(text, key.lastIndex);
  }
}

/** The offset after the JSON value that begins at `start`. */
function endOfJsonValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
    } else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth < 0 || (depth === 0 && character === ',')) return at;
    if (depth === 0 && (character === ']' || character === '}' || character === '"')) return at + 1;
  }
  return text.length;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function mkdocsRedirect(
  files: readonly NavigationFile[],
  layout: Layout,
  { from, to }: Renaming,
): RedirectResult {
  const file = files[0];
  const block = file && /^([ \t]*)redirect_maps:[ \t]*(\r?\n)([ \t]+)(?=\S)/m.exec(file.text);
  if (!file || !block || (block[3] ?? '').length <= (block[1] ?? '').length) {
    return none(
      `The site has no redirects (MkDocs needs the \`redirects\` plugin with \`redirect_maps\`), so ${quotedUrl(urlOfPage(from, layout))} leads nowhere now.`,
    );
  }
  const name = (path: string): string => {
    const relative = posix.relative(layout.contentRoot || '.', path);
    return /^[\w./-]+$/.test(relative) ? relative : `'${relative.replaceAll("'", "''")}'`;
  };
  // After the last entry of the block, in its manner.
  const start = block.index + block[0].length - (block[3] ?? '').length;
  const entries = new RegExp(`(?:${block[3] ?? ''}\\S[^\\n]*(?:\\n|$))+`, 'y');
  entries.lastIndex = start;
  const end = entries.test(file.text) ? entries.lastIndex : start;
  const newline = block[2] ?? '\n';
  const gap = end > 0 && file.text[end - 1] !== '\n' ? newline : '';
  const line = `${gap}${block[3] ?? ''}${name(from)}: ${name(to)}${newline}`;
  const text = applyEdits(file.text, [{ start: end, end, text: line }]);
  return readYamlText(text, 0).kind === 'valid'
    ? { kind: 'added', path: file.path, text }
    : none('The redirect could not be added safely.');
}

/** What the addresses of Docusaurus's pages begin with: `/docs`, unless its configuration says something else. */
export function docusaurusBase(config: string): string {
  const base = /\brouteBasePath\s*:\s*['"]([\w/-]*)['"]/.exec(config)?.[1] ?? 'docs';
  const bare = base.replace(/^\/+|\/+$/g, '');
  return bare === '' ? '' : `/${bare}`;
}

function docusaurusRedirect(files: readonly NavigationFile[], from: string, to: string): RedirectResult {
  const file = files[0];
  const prefix = docusaurusBase(file?.text ?? '');
  const plugin = file?.text.indexOf('plugin-client-redirects') ?? -1;
  if (!file || plugin === -1) {
    return none(
      `The site has no redirects (Docusaurus needs \`@docusaurus/plugin-client-redirects\`), so ${quotedUrl(prefix + from)} leads nowhere now.`,
    );
  }
  const list = /\bredirects\s{0,10}:\s{0,10}\[([ \t]*\r?\n([ \t]*))?/g;
  list.lastIndex = plugin;
  const found = list.exec(file.text);
  if (!found || found.index > plugin + 1000) {
    return none('The redirects of the site are not written as a plain list, so none was added.');
  }
  const quote = (url: string): string => `'${(prefix + url).replaceAll("'", '%27')}'`;
  const end = found.index + found[0].length;
  const indent = found[2] ?? '';
  const separator = found[1] === undefined ? ' ' : `${found[1].includes('\r') ? '\r\n' : '\n'}${indent}`;
  const text = applyEdits(file.text, [
    { start: end, end, text: `{ from: ${quote(from)}, to: ${quote(to)} },${separator}` },
  ]);
  return { kind: 'added', path: file.path, text };
}

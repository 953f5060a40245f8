/** Invisible, and enough that no host sees a word, a reference or a tag where it stands. */
const breaker = '\u200B';

const reference = String.raw`(?:[\w.-]+/[\w.-]+)?[#!]\d|GH-\d|https?://|[A-Z][A-Z0-9]+-\d`;

/** What code hosts, their bots and build systems act on. Each match is broken after its first group. */
const active: readonly RegExp[] = [
  // "Fixes #1", also in front of a full address of an issue. First, while the reference is whole.
  new RegExp(
    String.raw`\b([a-z])(?=(?:lose[sd]?|losing|ix(?:es|ed|ing)?|esolve[sd]?|esolving|mplement(?:s|ed|ing)?)\b:?\s+(?:issues?\s+)?(?:${reference}))`,
    'gi',
  ),
  // Mentions and commands to bots. Bitbucket's own begin with a brace.
  /(@)(?=[\w{-])/g,
  // Issues and merge requests.
  /(#|!|&|\bGH-)(?=\d)/gi,
  // Commands to a tracker after the key of an issue: "DOCS-12 #close".
  /((?<=\b[A-Z][A-Z0-9]+-\d[^\n]{0,200})#)(?=[a-z])/gi,
  // Quick actions: a line that begins with a slash and a word.
  /^([ \t>]*)(?=\/[a-z])/gim,
  // HTML, its comments above all.
  /(<)(?=[a-z/!?])/gi,
  // "[skip ci]" and its like.
  /(\[)(?=(?:skip|no|ci)[ -](?:ci|skip|actions)\b)/gi,
  /(\*\*\*NO)(?=_CI\*\*\*)/gi,
];

/**
 * Text of a prompt, an agent or a page made safe to stand in a pull request or a commit: it reads the same,
 * and nobody is mentioned, nothing is closed, merged or hidden by it. Control characters go.
 */
export function neutralise(text: string): string {
  let result = text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    // Also the marks that turn the direction of writing, which can make a line read as another one.
    .replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, '');
  for (const pattern of active) result = result.replace(pattern, `$1${breaker}`);
  return result;
}

/** A repository's own template: everything of it stands, but nothing in it is a command to the host. */
export function withoutCommands(template: string): string {
  return template
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/^([ \t>]*)(?=\/[a-z])/gim, `$1${breaker}`);
}

/** The same on one line. */
export function neutraliseLine(text: string): string {
  return neutralise(text.replace(/\s+/g, ' ').trim());
}

/** As a code span that the text cannot leave, on one line. */
export function codeSpan(text: string): string {
  const line = neutralise(text.replace(/\s+/g, ' '));
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return longest > 0 ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

/** Closes a code fence that the text left open, so that what follows is read as Markdown again. */
export function closeFences(text: string): string {
  let open: string | undefined;
  for (const line of text.split('\n')) {
    const fence = /^(?:[ \t>]|[-*+] |\d+[.)] )*(`{3,}|~{3,})(.*)$/.exec(line);
    const [, marks, rest] = fence ?? [];
    if (marks === undefined) continue;
    if (open === undefined) open = marks;
    else if (marks[0] === open[0] && marks.length >= open.length && rest?.trim() === '') open = undefined;
  }
  return open === undefined ? text : `${text}\n${open}`;
}

/** Everything that Markdown could read as more than a character; a backslash takes its meaning away. */
const punctuation = /[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g;
/** Control characters, invisible ones and those that turn the direction of writing; not line ends and tabs. */
const unseen = /[^\P{C}\n\t]/gu;

/**
 * Text of a service, a repository or a person as Markdown that shows just these characters: no links,
 * no HTML, no images, no code blocks. Lines stay lines. Where the reader of the Markdown makes links of
 * bare addresses, such a link goes where it says.
 */
export function escapedMarkdown(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(unseen, '')
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replaceAll(/\s+/g, ' ')
        .replaceAll(punctuation, String.raw`\$&`),
    )
    .join('\n')
    .replaceAll(/\n{2,}/g, '\n\n')
    .replaceAll(/(?<!\n)\n(?!\n)/g, '  \n')
    .trim();
}

/** A block that shows the text as it is, in a fence that the text cannot close. */
export function fencedText(text: string): string {
  const clean = text.replaceAll(/\r\n?/g, '\n').replaceAll(unseen, '');
  const longest = Math.max(2, ...Array.from(clean.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${clean}\n${fence}`;
}

import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type Html, trustedHtml } from './html.ts';

/** Characters. A body of the longest kind that a code host takes; more is cut. */
const maxLength = 65_536;
/** Characters. Quotes in quotes cost the square of their depth, and a line is as deep as it is long. */
const maxLineLength = 4_000;

/**
 * Markdown of a pull request's body as HTML. The text is hostile: HTML in it is shown as text, links
 * keep only harmless protocols, and images become links, so that the page loads nothing from elsewhere.
 */
export function renderMarkdown(markdown: string): Html {
  const visible = withoutComments(withShortLines(markdown.slice(0, maxLength)));
  const rendered = micromark(visible, {
    allowDangerousHtml: false,
    allowDangerousProtocol: false,
    extensions: [gfm(), { disable: { null: ['labelStartImage', 'htmlFlow', 'htmlText'] } }],
    htmlExtensions: [gfmHtml()],
  });
  // The page has its own first and second level. The only tags of headings here are micromark's own,
  // because those of the text stand escaped.
  return trustedHtml(
    rendered.replace(/<(\/?)h([1-6])>/g, (_, end: string, level: string) => {
      return `<${end}h${Math.min(6, Number(level) + 2)}>`;
    }),
  );
}

function withShortLines(markdown: string): string {
  return markdown
    .split('\n')
    .map((line) => (line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line))
    .join('\n');
}

/**
 * Code hosts hide comments, and bodies carry the job's id in one. Only those that have lines of their own
 * go. By hand, because a pattern for it takes quadratic time on text that begins many and ends none.
 */
function withoutComments(markdown: string): string {
  let kept = '';
  let done = 0;
  for (let start = markdown.indexOf('<!--'); start >= 0; start = markdown.indexOf('<!--', done)) {
    const end = markdown.indexOf('-->', start + 4);
    if (end < 0) break;
    const after = end + 3;
    const ownLines =
      (start === 0 || markdown[start - 1] === '\n') &&
      /[ \t]*(?:\r?\n|$)/y.test(markdown.slice(after, after + 80));
    kept += markdown.slice(done, ownLines ? start : after);
    done = after;
  }
  return kept + markdown.slice(done);
}

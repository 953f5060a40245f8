import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type Html, trustedHtml } from './html.ts';

/** Characters. A body of the longest kind that a code host takes; more is cut. */
const maxLength = 65_536;

/**
 * Markdown of a pull request's body as HTML. The text is hostile: HTML in it is shown as text, links
 * keep only harmless protocols, and images become links, so that the page loads nothing from elsewhere.
 */
export function renderMarkdown(markdown: string): Html {
  const visible = withoutComments(markdown.slice(0, maxLength));
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

/** Code hosts hide comments, and bodies carry the job's id in one. Fences are left as they are. */
function withoutComments(markdown: string): string {
  return markdown.replace(/^<!--(?:(?!-->)[\s\S])*-->[ \t]*$/gm, '');
}

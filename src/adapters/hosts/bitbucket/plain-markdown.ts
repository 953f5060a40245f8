/** A line that opens or closes a block of code. */
const fence = /^(?:[ \t>]|[-*+] |\d+[.)] ){0,20}(`{3,}|~{3,})(.*)$/;

/**
 * Markdown without HTML that folds or hides: Bitbucket shows tags and comments as text. What stands in a block of
 * code is code and stays.
 */
export function plainMarkdown(markdown: string): string {
  const parts: string[] = [];
  let prose: string[] = [];
  let open: string | undefined;
  const endProse = (): void => {
    if (prose.length > 0) parts.push(withoutHtml(prose.join('\n')));
    prose = [];
  };
  for (const line of markdown.split('\n')) {
    const [, marks, rest] = fence.exec(line) ?? [];
    const closes = open !== undefined && marks?.startsWith(open) === true && rest?.trim() === '';
    if (open === undefined && marks === undefined) prose.push(line);
    else {
      endProse();
      parts.push(line);
      open = closes ? undefined : (open ?? marks);
    }
  }
  endProse();
  return parts.join('\n');
}

function withoutHtml(text: string): string {
  const plain = withoutComments(text)
    .replace(/<summary\b[^<>]{0,200}>([^<]{0,500})<\/summary>/gi, '**$1**\n')
    .replace(/<\/?(?:details|summary)\b[^<>]{0,200}>/gi, '');
  return plain === text ? text : plain.replace(/\n{3,}/g, '\n\n');
}

/** A comment that never ends is text. */
function withoutComments(text: string): string {
  let result = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf('<!--', at);
    const end = start < 0 ? -1 : text.indexOf('-->', start + 4);
    if (end < 0) return result + text.slice(at);
    result += text.slice(at, start);
    at = end + 3;
  }
}

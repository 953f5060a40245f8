const marker = /^( *)(?:!!!|\?\?\?\+?|===[!+]?) +\S/;
const fence = /^ *(`{3,}|~{3,})/;

/**
 * Python-Markdown's admonitions and tabs have a body indented by four spaces, which is code to a
 * CommonMark parser. Gives a text of the same length in which such a body is a block quote, so that its
 * prose is found at its true offsets. Fenced code in the body becomes blank: a block quote would end at its
 * first empty line and show the rest of the code as prose.
 */
export function maskAdmonitions(text: string): string {
  if (!/^ *(?:!!!|\?\?\?|===)/m.test(text)) return text;
  const lines = text.split('\n');
  /** Indentations of the bodies that are open, outermost first. */
  const bodies: number[] = [];
  let openFence: { readonly mark: string; readonly masked: boolean } | undefined;
  return lines
    .map((line) => {
      const indent = line.length - line.trimStart().length;
      if (line.trim() === '') return line;
      if (openFence) {
        const { mark, masked } = openFence;
        if (fence.exec(line)?.[1]?.startsWith(mark) && line.trim() === (fence.exec(line)?.[1] ?? '')) {
          openFence = undefined;
        }
        return masked ? blank(line) : line;
      }
      while (bodies.length > 0 && indent < (bodies.at(-1) ?? 0)) bodies.pop();
      const mark = fence.exec(line)?.[1];
      if (mark) openFence = { mark, masked: bodies.length > 0 };
      const masked = mark && bodies.length > 0 ? blank(line) : quoted(line, bodies);
      const opens = mark ? null : marker.exec(line);
      // Only at the outer level or inside a known body: four spaces elsewhere are code.
      if (opens && (indent === (bodies.at(-1) ?? 0) || indent < 4)) bodies.push(indent + 4);
      return masked;
    })
    .join('\n');
}

function quoted(line: string, bodies: readonly number[]): string {
  let masked = line;
  for (const body of bodies) masked = `${masked.slice(0, body - 4)}> ${masked.slice(body - 2)}`;
  return masked;
}

function blank(line: string): string {
  const end = line.endsWith('\r') ? '\r' : '';
  return ' '.repeat(line.length - end.length) + end;
}

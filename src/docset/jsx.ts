import { spanOf } from './tree.ts';
import type { PageNode, Span } from './tree.ts';

/** The place of a JSX attribute's string value, without quotes; undefined for an expression. */
export function attributeValue(
  text: string,
  attribute: NonNullable<PageNode['attributes']>[number],
): Span | undefined {
  if (attribute.type !== 'mdxJsxAttribute' || typeof attribute.value !== 'string') return undefined;
  const whole = spanOf(attribute);
  const quote = text[whole.end - 1];
  const open = quote === '"' || quote === "'" ? text.indexOf(quote, whole.start) : -1;
  return open === -1 || open >= whole.end - 1 ? undefined : { start: open + 1, end: whole.end - 1 };
}

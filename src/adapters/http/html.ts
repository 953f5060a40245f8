/** Text that is HTML already. Made only by {@link html}, {@link trustedHtml} and the renderers beside them. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = Html | string | number | false | undefined | readonly HtmlValue[];

/** A template whose values are escaped, in text and in quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  // The indentation of this project's source is no part of the page; a page has thousands of table rows.
  const raw = strings.map((part) => part.replace(/\n\s+/g, '\n'));
  return new Html(String.raw({ raw }, ...values.map(toHtml)));
}

/** Marks a text as HTML. Only for constants of this project and for output of a renderer that escapes. */
export function trustedHtml(text: string): Html {
  return new Html(text);
}

function toHtml(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (value === undefined || value === false) return '';
  if (typeof value === 'object') return value.map(toHtml).join('');
  return escapeHtml(String(value));
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
}

import type { Span } from './tree.ts';

/** A string in JSON, JavaScript or TypeScript. */
export interface StringLiteral {
  readonly value: string;
  /** Without its quotes. */
  readonly span: Span;
  readonly quote: '"' | "'" | '`';
  /** True for a quoted name before a colon. */
  readonly isKey: boolean;
  /** The name before it, quoted or not, when it is a property's value. */
  readonly key: string | undefined;
}

/**
 * Finds the strings of a configuration without running or fully parsing it; comments are passed over.
 * Strings with escapes other than a plain `\/` are left out, template literals with expressions too. Linear.
 */
export function stringLiterals(text: string): StringLiteral[] {
  const literals: StringLiteral[] = [];
  const scanner = /\/\/[^\n]*|\/\*|["'`]|([A-Za-z_$][\w$]*)|[^\s]/g;
  /** The name seen last, and whether a colon came after it. */
  let name: string | undefined;
  let colon = false;
  for (let match = scanner.exec(text); match; match = scanner.exec(text)) {
    const token = match[0];
    if (token.startsWith('//')) continue;
    if (token === '/*') {
      const end = text.indexOf('*/', scanner.lastIndex);
      if (end === -1) break;
      scanner.lastIndex = end + 2;
    } else if (token === '"' || token === "'" || token === '`') {
      const start = match.index + 1;
      const end = endOfString(text, start, token);
      if (end === -1) continue;
      scanner.lastIndex = end + 1;
      const raw = text.slice(start, end);
      const isKey = /^\s{0,50}:/.test(text.slice(end + 1, end + 60)) && !colon;
      const value = raw.replaceAll('\\/', '/');
      if (!value.includes('\\') && !(token === '`' && value.includes('${'))) {
        literals.push({ value, span: { start, end }, quote: token, isKey, key: colon ? name : undefined });
      }
      name = isKey ? value : undefined;
      colon = false;
    } else if (match[1] !== undefined) {
      name = match[1];
      colon = false;
    } else if (token === ':') colon = name !== undefined;
    else {
      name = undefined;
      colon = false;
    }
  }
  return literals;
}

function endOfString(text: string, start: number, quote: string): number {
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === quote) return at;
    else if (character === '\n' && quote !== '`') return -1;
  }
  return -1;
}

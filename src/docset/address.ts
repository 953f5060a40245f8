/** A link's destination taken apart. Joined again, the parts give the destination unchanged. */
export interface Address {
  readonly path: string;
  /** With its `?`, or empty. */
  readonly query: string;
  /** With its `#`, or empty. */
  readonly hash: string;
}

export function splitAddress(url: string): Address {
  const hashAt = url.indexOf('#');
  const hash = hashAt === -1 ? '' : url.slice(hashAt);
  const rest = hashAt === -1 ? url : url.slice(0, hashAt);
  const queryAt = rest.indexOf('?');
  return {
    path: queryAt === -1 ? rest : rest.slice(0, queryAt),
    query: queryAt === -1 ? '' : rest.slice(queryAt),
    hash,
  };
}

/** True for what leads out of the docs: another site, a mail address, a scheme, a path alias of a bundler. */
export function isExternal(url: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:|\/\/|@|~)/i.test(url);
}

/** True when a template or a variable is part of it, so that nobody can tell where it leads. */
export function isTemplated(url: string): boolean {
  return /[{}<>$|*\u0000-\u001F]|%[^\dA-F]/i.test(url);
}

/** Percent escapes decoded; the text itself when they are broken. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

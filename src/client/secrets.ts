/** Makes a text safe to show and to log, whoever wrote it. */
export type Redact = (text: string) => string;

/** So many characters of a secret in a row are taken for it: servers like to show how a key begins. */
const tellingLength = 12;

/** How far a chain of causes is followed: real ones have two or three links, a cyclic one has no end. */
const deepestCause = 5;
const mostErrors = 5;

/**
 * A function that blanks out the secrets in the forms in which they come back: as they are, in other
 * case, percent-encoded, in base64, in part. Other bearer tokens go as well.
 */
export function redactorOf(secrets: readonly string[]): Redact {
  const pieces = new Set<string>();
  for (const secret of secrets) {
    if (secret === '') continue;
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
      const length = Math.min(tellingLength, form.length);
      for (let at = 0; at + length <= form.length; at++) pieces.add(lowerCase(form.slice(at, at + length)));
    }
  }
  return (text) => {
    const hidden = new Uint8Array(text.length);
    const searched = lowerCase(text);
    for (const piece of pieces) {
      for (let at = searched.indexOf(piece); at >= 0; at = searched.indexOf(piece, at + 1)) {
        hidden.fill(1, at, at + piece.length);
      }
    }
    return withoutHidden(text, hidden).replace(/\b(bearer|basic)(\s+)[^\s"'<>,;]{8,}/gi, '$1$2[redacted]');
  };
}

function withoutHidden(text: string, hidden: Uint8Array): string {
  let result = '';
  let from = 0;
  for (let at = hidden.indexOf(1); at >= 0; at = hidden.indexOf(1, from)) {
    const end = hidden.indexOf(0, at);
    result += `${text.slice(from, at)}[redacted]`;
    if (end < 0) return result;
    from = end;
  }
  return result + text.slice(from);
}

/** ASCII only, so that positions in the result are positions in the text. */
function lowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * A copy of an error that is safe to keep as a cause: name, code, message and stack, redacted, and the
 * same of its own causes. Network libraries put whole requests, with their headers, into their errors.
 */
export function withoutSecrets(error: unknown, redact: Redact, depth = 0): Error {
  if (!(error instanceof Error)) return new Error(redact(typeof error === 'string' ? error : 'not an error'));
  const cause =
    error.cause === undefined || depth >= deepestCause
      ? undefined
      : { cause: withoutSecrets(error.cause, redact, depth + 1) };
  const copy: Error & { code?: string } =
    error instanceof AggregateError && depth < deepestCause
      ? new AggregateError(
          error.errors.slice(0, mostErrors).map((each) => withoutSecrets(each, redact, depth + 1)),
          redact(error.message),
          cause,
        )
      : new Error(redact(error.message), cause);
  copy.name = redact(error.name);
  if (error.stack !== undefined) copy.stack = redact(error.stack);
  if ('code' in error && typeof error.code === 'string') copy.code = redact(error.code);
  return copy;
}

/** Shorter strings would blank out ordinary words. */
const shortestSecret = 8;

/** Keys and tokens have at least so many characters; a short password may be an ordinary word of a page. */
const shortestKey = 16;

/**
 * Blanks out secrets in texts. Every secret is registered before its first use, in the forms in which
 * it may come back: as it is, percent-encoded, and in the base64 of an HTTP Basic header.
 */
export class Redactor {
  readonly #secrets = new Set<string>();

  register(secret: string, username?: string): void {
    if (secret.length < shortestSecret) return;
    this.#secrets.add(secret);
    this.#secrets.add(encodeURIComponent(secret));
    if (username !== undefined) this.#secrets.add(Buffer.from(`${username}:${secret}`).toString('base64'));
  }

  /** Whether a text holds a key or token that was registered. */
  holds(text: string): boolean {
    for (const secret of this.#secrets)
      if (secret.length >= shortestKey && text.includes(secret)) return true;
    return false;
  }

  redact(text: string): string {
    let result = text;
    for (const secret of this.#secrets) result = result.replaceAll(secret, '[redacted]');
    // User info in a URL and bearer tokens are secrets even when nobody registered them. One look back instead of
    // a scheme as a whole: its time would grow with the square of a text that somebody made for it.
    return result
      .replace(/(?<=[a-z0-9+.-]:\/\/)[^\s/@]+@/gi, '[redacted]@')
      .replace(/(\bauthorization\b\W{0,4}(?:bearer|basic|token)\s+)[^\s"',;]+/gi, '$1[redacted]');
  }
}

/** A wish beyond this is a mistake or an attack; who polls cuts it down further. */
const longestMs = 24 * 60 * 60_000;

/**
 * Milliseconds that a `Retry-After` header asks to wait: seconds or an HTTP date (RFC 9110, 10.2.3).
 * A date is measured against the answer's own `Date` where there is one, because the clocks of two
 * machines differ. Undefined when the header is absent or unreadable; never negative.
 */
export function retryAfterMs(
  header: string | null,
  answerDate: string | null,
  now: number,
): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, longestMs);
  // Date.parse accepts much more than a date: "-5" would be a month.
  if (!/[a-z]{3}.*\d{2}:\d{2}/i.test(text)) return undefined;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return undefined;
  const answered = answerDate === null ? Number.NaN : Date.parse(answerDate);
  return Math.min(Math.max(0, until - (Number.isNaN(answered) ? now : answered)), longestMs);
}

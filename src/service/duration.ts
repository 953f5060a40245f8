/** A number of milliseconds in words, for sentences. */
export function durationInWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes >= 2) return `${minutes} minutes`;
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

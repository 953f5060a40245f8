/** A number of milliseconds in words, for sentences. */
export function durationInWords(ms: number): string {
  const hours = Math.round(ms / 3_600_000);
  if (hours >= 72) return `${Math.round(hours / 24)} days`;
  if (hours >= 3) return `${hours} hours`;
  const minutes = Math.round(ms / 60_000);
  if (minutes >= 2) return `${minutes} minutes`;
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

import { randomBytes } from 'node:crypto';

/** Crockford's alphabet: in the order of its characters, and no letter is taken for a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
/** 50 bits of milliseconds last until the year 37,000. */
const timeDigits = 10;
/** 80 bits that nobody guesses. */
const randomDigits = 16;

/** A new job id: sorts by time, cannot be guessed, is safe in URLs, branch names and file names. */
export function newJobId(now: number): string {
  let time = '';
  for (let rest = now, i = 0; i < timeDigits; i++, rest = Math.floor(rest / 32)) {
    time = alphabet.charAt(rest % 32) + time;
  }
  const random = [...randomBytes(randomDigits)].map((byte) => alphabet.charAt(byte % 32)).join('');
  return `job_${time}${random}`;
}

const pattern = new RegExp(`^job_[${alphabet}]{${timeDigits + randomDigits}}$`);

export function isJobId(text: string): boolean {
  return pattern.test(text);
}

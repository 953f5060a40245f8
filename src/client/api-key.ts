/** `usable`: send `key`. `refused`: sending it could not succeed; `message` says why and what to do. */
export type ApiKeyReading =
  | { readonly kind: 'usable'; readonly key: string }
  | { readonly kind: 'refused'; readonly reason: ApiKeyRefusal; readonly message: string };

type ApiKeyRefusal = 'empty' | 'characters' | 'address' | 'assistant_key' | 'user_key';

/** Far above every provider's keys, below what servers accept as a header line (8 KB and more). */
const maxKeyLength = 4096;

/**
 * Reads what a person pasted as the API key. White space, quotes and the words of a copied header
 * (`Authorization: Bearer …`) around it are taken off. Kinds of key that the job API refuses (source: the
 * hosted provider's naming, `mint_dsc_` and `mint_us_`) are told apart before anything is sent. A key
 * without a prefix passes: a team may have made its own.
 */
export function readApiKey(pasted: string): ApiKeyReading {
  const key = unwrap(pasted);
  if (key === '') return refused('empty', 'The API key is empty. Paste the whole key.');
  if (/^https?:\/\//i.test(key)) {
    return refused('address', 'This is a web address, not an API key. Copy the key itself.');
  }
  // Only visible ASCII can be sent in the header; a blank inside means that two things were pasted.
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > maxKeyLength) {
    return refused(
      'characters',
      'The API key contains blanks or characters that no key has. Copy the key again, without the text around it.',
    );
  }
  if (key.startsWith('mint_dsc_')) {
    return refused(
      'assistant_key',
      'This is an assistant key (mint_dsc_…). Jobs need an admin API key: create one on your provider’s API keys page.',
    );
  }
  if (key.startsWith('mint_us_')) {
    return refused(
      'user_key',
      'This is a user key (mint_us_…). Jobs need an admin API key: create one on your provider’s API keys page.',
    );
  }
  return { kind: 'usable', key };
}

function refused(reason: ApiKeyRefusal, message: string): ApiKeyReading {
  return { kind: 'refused', reason, message };
}

function unwrap(pasted: string): string {
  let text = trim(pasted);
  for (;;) {
    const shorter = trim(
      text
        .replace(/^authorization\s*:/i, '')
        .replace(/^bearer(?:\s+|$)/i, '')
        .replace(/^(["'`])(.*)\1$/s, '$2'),
    );
    if (shorter === text) return text;
    text = shorter;
  }
}

/** Also takes off what browsers copy along without showing it: zero-width characters and the BOM. */
function trim(text: string): string {
  return text.replace(/^[\s\u200b-\u200f\u2060\ufeff]+|[\s\u200b-\u200f\u2060\ufeff]+$/g, '');
}

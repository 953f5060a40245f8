import { ServiceError } from './service-error.ts';

const shownPaths = 5;

/**
 * Refuses a change that would publish what the service has to keep: a program that works for it may have been given a
 * key, and a page may have talked it into writing that down. What stood in the pages before is not its business.
 *
 * @param diff unified, of one message
 * @param holdsSecret whether a text holds a key or token that the service knows
 */
export function refusedSecrets(
  diff: string,
  holdsSecret: (text: string) => boolean,
): ServiceError | undefined {
  // One look for the usual case; a key has no line break in it.
  if (!holdsSecret(diff)) return undefined;
  const found = new Set<string>();
  let path = '';
  for (const line of diff.split('\n')) {
    if (line.startsWith('+++ ')) path = line.slice(4).replace(/^"?b\/|"$/g, '');
    else if (!line.startsWith('+')) continue;
    if (holdsSecret(line)) found.add(path);
  }
  if (found.size === 0) return undefined;
  const names = [...found].slice(0, shownPaths).map((name) => (holdsSecret(name) ? 'a file name' : name));
  const more = found.size > shownPaths ? ` and ${found.size - shownPaths} more` : '';
  return new ServiceError(
    'push_rejected',
    `The agent wrote a key or password of this machine into ${names.join(', ')}${more}. Nothing was pushed. ` +
      'Look for text in the pages that asks agents for keys, and choose another agent or say which pages to leave out.',
  );
}

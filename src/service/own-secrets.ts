/** What names of variables call a secret, as a word of its own: `GIT_AUTHOR_NAME` and `KEYBOARD` hold none. */
const secretName = /(?:^|_)(?:(?:API)?KEY|(?:ACCESS|AUTH)?TOKEN|SECRET|PASSWORD|PASSWD|PAT|AUTH)(?:_|$)/i;

/** A key as people are given them; a path, a sentence or a number of a screen is none. */
const secretValue = /^(?![/\\~]|[A-Za-z]:\\|\w+:\/\/)[\x21-\x7e]{16,}$/;

/** Depth at which a value that is JSON is looked through: sign-ins are written like that. */
const deepest = 4;

/**
 * The keys and tokens in the service's own environment, so that they can be blanked out before anything is written:
 * an agent of this machine may be given one, and may print it.
 */
export function ownSecrets(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    secretName.test(name) && value !== undefined ? secretsOf(value) : [],
  );
}

function secretsOf(value: string): string[] {
  const parsed = value.trimStart().startsWith('{') ? parsedOf(value) : undefined;
  return parsed === undefined ? keyOf(value) : leaves(parsed, deepest).flatMap(keyOf);
}

const keyOf = (value: string): string[] => (secretValue.test(value) ? [value] : []);

function leaves(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.values(value).flatMap((inner) => leaves(inner, depth - 1));
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

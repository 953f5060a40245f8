/** Long enough for every honest explanation, short enough for a notification. */
const longestExplanation = 300;

/**
 * What the body of a refusal says, as one clean line: `{error}`, `{message}`, `{error: {message}}`,
 * `{errors: [...]}`, a problem document (RFC 9457: `detail`, `title`), or plain text. Undefined for
 * everything that is not meant for people: HTML, unknown JSON, JSON cut off in the middle, nothing.
 * Redaction comes after this, since removing invisible characters may join a secret's parts.
 */
export function explanationIn(body: string): string | undefined {
  const text = body.trim();
  if (text === '' || text.startsWith('<')) return undefined;
  const said = /^[[{"]/.test(text) ? explanationInJson(text) : text;
  if (said === undefined) return undefined;
  const line = oneLine(said);
  return line === '' || /^[<[{]/.test(line) ? undefined : line;
}

/** Cuts at a word where there is one near, never in the middle of a character. */
export function shortened(line: string, length: number = longestExplanation): string {
  if (line.length <= length) return line;
  const start = Array.from(line.slice(0, length)).slice(0, -1).join('');
  return `${start.replace(/\s+\S{0,30}$/, '')}…`;
}

/**
 * One line without control characters, terminal sequences, invisible characters and those that turn the
 * direction of writing, which can make a text look like another one.
 */
export function oneLine(text: string): string {
  return (
    text
      // Terminal sequences, which begin with an escape character.
      .replaceAll(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)/g, '')
      .replaceAll(/[\p{Z}\t\r\n\v\f]+/gu, ' ')
      .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]/gu, '')
      .trim()
  );
}

function explanationInJson(text: string): string | undefined {
  try {
    return explanationOf(JSON.parse(text), 0);
  } catch {
    return undefined;
  }
}

/** Looks where services put it; two levels are the deepest known. */
function explanationOf(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (depth > 2 || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return explanationOf(value[0], depth + 1);
  const fields = value as Record<string, unknown>;
  for (const name of ['error', 'detail', 'message', 'error_description', 'title', 'errors']) {
    const found = explanationOf(fields[name], depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

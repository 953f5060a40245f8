/** What can be known about something that a request to an endpoint threw, whatever library made it. */
export interface EndpointFacts {
  /** The error and its causes, outermost first. */
  readonly chain: readonly unknown[];
  readonly status: number | undefined;
  /** Code of the operating system or of the HTTP library, such as `ECONNREFUSED`. */
  readonly networkCode: string | undefined;
  /** Everything that the endpoint said: codes, types, message, body. */
  readonly words: string;
  /** Its message alone. */
  readonly message: string;
  /** Whether its answer was JSON. */
  readonly json: boolean;
  readonly retryAfterMs: number | undefined;
  /** An answer began and was not what it should be. */
  readonly brokenAnswer: boolean;
}

/** Far more than an error has to say. */
const maxWords = 4000;

interface Loose {
  readonly [name: string]: unknown;
}

const asRecord = (value: unknown): Loose =>
  typeof value === 'object' && value !== null ? (value as Loose) : {};

/** @param now milliseconds since the epoch, for a `Retry-After` that is a date */
export function factsOf(thrown: unknown, now: number): EndpointFacts {
  const chain = causesOf(thrown);
  const records = chain.map(asRecord);
  const found = <T>(pick: (record: Loose) => T | undefined): T | undefined => {
    for (const record of records) {
      const value = pick(record);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const status = found(({ statusCode }) =>
    typeof statusCode === 'number' && statusCode >= 400 ? statusCode : undefined,
  );
  const body =
    found(({ responseBody }) => (typeof responseBody === 'string' ? responseBody : undefined)) ?? '';
  const said = records.flatMap(({ message, type, code, data }) => [message, type, code, data]);
  const words = [...said, body]
    .filter((value) => value != null)
    .map(wordsOf)
    .join(' ');
  const headers = found(({ responseHeaders }) =>
    typeof responseHeaders === 'object' ? asRecord(responseHeaders) : undefined,
  );
  return {
    chain,
    status,
    networkCode: found(({ code }) => (typeof code === 'string' && networkCode.test(code) ? code : undefined)),
    words: words.slice(0, maxWords),
    message:
      messageIn(body) ?? found(({ message }) => (typeof message === 'string' ? message : undefined)) ?? '',
    json: body.trimStart().startsWith('{') || found(({ data }) => data) !== undefined,
    retryAfterMs: headers === undefined ? undefined : retryAfterOf(headers, now),
    brokenAnswer: records.some(({ name }) => typeof name === 'string' && brokenNames.test(name)),
  };
}

/** Codes of Node and of undici; endpoints' own codes have small letters. */
const networkCode =
  /^(?:E[A-Z]{3,}|E[A-Z]+_[A-Z_]+|ERR_[A-Z_]+|UND_ERR_[A-Z_]+|HPE_[A-Z_]+|CERT_[A-Z_]+|DEPTH_ZERO_[A-Z_]+|SELF_SIGNED_[A-Z_]+|UNABLE_TO_[A-Z_]+)$/;
const brokenNames =
  /InvalidResponseData|JSONParse|TypeValidation|EmptyResponseBody|NoOutputGenerated|^TypeError$/;

function causesOf(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let at = thrown; at != null && chain.length < 8 && !chain.includes(at); at = asRecord(at)['cause'])
    chain.push(at);
  return chain;
}

function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, maxWords);
  try {
    return JSON.stringify(value)?.slice(0, maxWords) ?? '';
  } catch {
    return '';
  }
}

/** `{error: {message}}`, `{error: "…"}` or `{message}`. */
function messageIn(body: string): string | undefined {
  try {
    const { error, message } = asRecord(JSON.parse(body));
    const inner = asRecord(error)['message'];
    for (const value of [inner, error, message]) if (typeof value === 'string' && value !== '') return value;
  } catch {
    // No JSON: a proxy's page says nothing that helps.
  }
  return undefined;
}

/** Nobody waits longer than a year, and a number of hours has an end. */
const longestRetryMs = 366 * 24 * 60 * 60 * 1000;

/** `retry-after-ms` is OpenAI's, `retry-after` everybody's: seconds or a date. */
function retryAfterOf(headers: Loose, now: number): number | undefined {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return Math.min(ms, longestRetryMs);
  const value = headers['retry-after'];
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.min(seconds * 1000, longestRetryMs) : undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), longestRetryMs);
}

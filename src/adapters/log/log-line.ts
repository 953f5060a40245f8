import type { LogFields } from '../../service/ports/log.ts';

export type LogLevel = 'info' | 'warn' | 'error';

/** Longer texts say nothing more to a reader of a log, and an agent's output could fill the disk. */
const maxTextLength = 4_000;
const maxDepth = 6;
const maxEntries = 50;

/** Fields of these names are secrets whatever they hold. */
const secretName = /^(?:.*(?:token|secret|password|passwd|authorization|cookie|api-?key|private-?key))$/i;

/**
 * One line of the log: JSON with time, level, sentence and data. Every text in it has gone through
 * `redact`, at any depth, in names, errors and their causes.
 */
export function logLine(
  level: LogLevel,
  message: string,
  fields: LogFields,
  at: Date,
  redact: (text: string) => string,
): string {
  // Redacted as a value and not as the finished line, in which a secret with a quote or a line break
  // would stand escaped and be missed.
  const data = plain(fields, redact, 0, new Set()) as Record<string, unknown>;
  return `${JSON.stringify({ at: at.toISOString(), level, message: clean(message, redact), ...(Object.keys(data).length > 0 ? { data } : {}) })}\n`;
}

function clean(text: string, redact: (text: string) => string): string {
  const redacted = redact(text);
  return redacted.length > maxTextLength ? `${redacted.slice(0, maxTextLength)}…` : redacted;
}

function plain(
  value: unknown,
  redact: (text: string) => string,
  depth: number,
  above: ReadonlySet<object>,
): unknown {
  if (typeof value === 'string') return clean(value, redact);
  if (typeof value === 'bigint' || typeof value === 'symbol') return clean(String(value), redact);
  if (typeof value === 'function') return '[function]';
  if (typeof value !== 'object' || value === null) return value;
  if (above.has(value)) return '[circular]';
  if (depth >= maxDepth) return '[deeper]';
  const inside = new Set(above).add(value);
  const next = (child: unknown): unknown => plain(child, redact, depth + 1, inside);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString();
  if (value instanceof Error) return errorFields(value, next);
  if (value instanceof URL) return clean(value.href, redact);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value) || value instanceof Set) return [...value].slice(0, maxEntries).map(next);
  const entries = value instanceof Map ? [...value.entries()] : Object.entries(value);
  return Object.fromEntries(
    entries.slice(0, maxEntries).map(([name, child]) => {
      const key = clean(String(name), redact);
      return [key, secretName.test(key) && typeof child === 'string' ? '[redacted]' : next(child)];
    }),
  );
}

/** `message`, `stack` and `cause` are not enumerable; what a library put beside them is. */
function errorFields(error: Error, next: (child: unknown) => unknown): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const own = Object.fromEntries(
    Object.entries(error).map(([key, child]) => [key, secretName.test(key) ? '[redacted]' : next(child)]),
  );
  return {
    name: next(name),
    message: next(message),
    ...own,
    ...(error instanceof AggregateError ? { errors: next(error.errors) } : {}),
    ...(stack === undefined ? {} : { stack: next(stack) }),
    ...(cause === undefined ? {} : { cause: next(cause) }),
  };
}

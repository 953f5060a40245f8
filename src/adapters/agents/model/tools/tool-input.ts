import type * as z from 'zod/v4';

export type Read<T> =
  | { readonly kind: 'read'; readonly input: T }
  | { readonly kind: 'wrong'; readonly why: string };

/**
 * Reads a tool's input as a model sent it. Small models send numbers and truth as text, lists as JSON text, and
 * null for what they leave out: what can be meant in only one way is taken so.
 */
export function readInput<Schema extends z.ZodObject>(schema: Schema, input: unknown): Read<z.infer<Schema>> {
  const given = parsedText(input);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { kind: 'wrong', why: `The arguments must be one JSON object with ${fieldsOf(schema)}.` };
  }
  const plain: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    // `__proto__` of parsed JSON is an own property, and would be none here.
    if (value !== null && value !== undefined && Object.hasOwn(schema.shape, key)) plain[key] = value;
  }
  const exact = schema.safeParse(plain);
  if (exact.success) return { kind: 'read', input: exact.data };
  const wrongs = new Set(exact.error.issues.map(({ path }) => String(path[0])));
  for (const key of wrongs) if (Object.hasOwn(plain, key)) plain[key] = guessed(plain[key]);
  const lenient = schema.safeParse(plain);
  if (lenient.success) return { kind: 'read', input: lenient.data };
  const sentences = lenient.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'the arguments'}: ${message}`);
  return {
    kind: 'wrong',
    why: `The arguments are wrong (${sentences.join('; ')}). They are ${fieldsOf(schema)}.`,
  };
}

function fieldsOf(schema: z.ZodObject): string {
  return Object.entries(schema.shape)
    .map(([name, field]) => ((field as z.ZodType).safeParse(undefined).success ? `${name} (optional)` : name))
    .join(', ');
}

function parsedText(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > 2_000_000) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function guessed(value: unknown): unknown {
  if (typeof value === 'string') {
    const parsed = parsedText(value.trim().toLowerCase() === 'true' ? 'true' : value);
    if (typeof parsed !== 'string') return parsed;
    return value.toLowerCase() === 'false' ? false : [value];
  }
  // One edit instead of a list of one.
  return typeof value === 'object' && !Array.isArray(value) ? [value] : value;
}

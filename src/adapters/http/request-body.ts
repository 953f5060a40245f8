import type { z } from 'zod/v4';
import { RequestError } from '../../service/request-error.ts';

/**
 * Bytes of a request's body. The longest prompt with every character written as a JSON escape of six
 * bytes, and room for the other fields.
 */
export const maxBodyBytes = 256 * 1024;

/** Reads and checks a JSON body of at most `limit` bytes. Throws {@link RequestError} with a sentence for everything that is wrong. */
export async function readJson<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  limit = maxBodyBytes,
): Promise<z.output<Schema>> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new RequestError('invalid_request', 'Send the body as JSON with Content-Type: application/json.');
  }
  return check(schema, parse(await readText(request, limit)), 'body');
}

/** Checks values of the query. Throws {@link RequestError} with a sentence. */
export function checkQuery<Schema extends z.ZodType>(schema: Schema, query: unknown): z.output<Schema> {
  return check(schema, query, 'query');
}

/** The body as text, no longer than `limit` bytes whatever its Content-Length says. */
export async function readText(request: Request, limit = maxBodyBytes): Promise<string> {
  const tooLarge = new RequestError(
    'invalid_request',
    `The request is larger than ${limit / 1024} KB. Send less text.`,
  );
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge;
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new RequestError('invalid_request', 'The body is not valid UTF-8 text.');
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') throw new RequestError('invalid_request', 'The body is empty. Send a JSON object.');
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError('invalid_request', 'The body is not valid JSON.');
  }
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = issue?.path.length ? `The field ${issue.path.join('.')}` : `The ${where}`;
  const reason = issue?.message ?? 'wrong';
  // The contract's own messages are whole sentences; zod's are phrases such as "expected string".
  const sentence = reason.endsWith('.') ? reason : `${place} is not valid: ${reason}.`;
  throw new RequestError('invalid_request', sentence.replace(': Invalid input:', ':'));
}

import { ServiceError } from '../../../service/service-error.ts';

/**
 * Bytes without an empty line, which is where an event of a stream ends: an endpoint that tells a whole answer in
 * one event stays far below it. The library keeps all of an event that has not ended.
 */
const longestEvent = 8_000_000;
/** Bytes of a whole answer. Each word of a stream comes with some hundred bytes around it. */
const longestAnswer = 256_000_000;
/** Bytes that are read of an answer that says what is wrong. */
const longestRefusal = 1_000_000;

/** Of a response that can be made. */
const highestStatus = 599;

const newline = 10;
const carriageReturn = 13;

/** An endpoint or a model that does not come to an end. */
export const endlessAnswer = (): ServiceError =>
  new ServiceError('agent_failed', 'The model did not stop answering. Choose another model.');

/**
 * The same answer, which ends with {@link endlessAnswer} where it is larger than any real one: whoever reads it
 * keeps it in memory. What is too long of a refusal is left out.
 */
export function boundedAnswer(response: Response): Response {
  const { body, ok, status, statusText, headers } = response;
  if (body === null) return response;
  let whole = 0;
  let event = 0;
  let last = 0;
  const bounds = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      whole += chunk.length;
      if (!ok && whole > longestRefusal) return controller.terminate();
      const end = endOfEvent(chunk, last);
      event = end === -1 ? event + chunk.length : chunk.length - end;
      last = chunk.findLast((byte) => byte !== carriageReturn) ?? last;
      if (whole > longestAnswer || event > longestEvent) return controller.error(endlessAnswer());
      controller.enqueue(chunk);
    },
  });
  // Servers send what a response cannot be made of: statuses of their own, and phrases in any script.
  const phrase = /^[\t\x20-\x7e\x80-\xff]*$/.test(statusText) ? statusText : '';
  const shown = { status: Math.min(status, highestStatus), statusText: phrase, headers };
  return new Response(body.pipeThrough(bounds), shown);
}

/**
 * Where the last empty line of a piece ends; -1 when there is none.
 *
 * @param before the last byte before it that is no carriage return
 */
function endOfEvent(chunk: Uint8Array, before: number): number {
  for (
    let at = chunk.lastIndexOf(newline);
    at !== -1;
    at = at === 0 ? -1 : chunk.lastIndexOf(newline, at - 1)
  ) {
    let previous = at - 1;
    while (previous >= 0 && chunk[previous] === carriageReturn) previous -= 1;
    if ((previous < 0 ? before : chunk[previous]) === newline) return at + 1;
  }
  return -1;
}

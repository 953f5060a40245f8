/** Bytes of one answer: a page of pull requests has some hundred kilobytes. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** `fetch` that stops reading an answer which does not end: the host is somebody else's. */
export function boundedFetch(send: typeof fetch, maxBytes = maxAnswerBytes): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    if (response.body === null) return response;
    const bounded = response.body.pipeThrough(limit(maxBytes));
    const { status, statusText, headers } = response;
    const answer = new Response(bounded, { status, statusText, headers });
    // Of the constructor's making it would be empty, and octokit reads it.
    Object.defineProperty(answer, 'url', { value: response.url });
    return answer;
  };
}

function limit(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = maxBytes;
  return new TransformStream({
    transform: (chunk, controller) => {
      left -= chunk.byteLength;
      if (left < 0) controller.error(new Error(`The answer is longer than ${maxBytes} bytes.`));
      else controller.enqueue(chunk);
    },
  });
}

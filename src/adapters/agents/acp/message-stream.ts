import type { Readable, Writable } from 'node:stream';
import { Writable as NodeWritable } from 'node:stream';
import { type AnyMessage, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';

/** A whole page, in a message, escaped; whoever sends more in one line does not speak the protocol. */
const longestLine = 32 * 1024 * 1024;

/** Answers that an agent has asked for and not taken yet. Each may hold a whole page. */
const mostOpenAnswers = 16;

/**
 * The protocol over the standard streams of a process. What is no message is dropped instead of answered:
 * programs greet, warn about their version or print progress on the same stream.
 */
export function messageStream(stdin: Writable, stdout: Readable): Stream {
  const open = new OpenAnswers();
  const lines = ReadableStream.from(messageLines(stdout, open));
  const { readable, writable } = ndJsonStream(NodeWritable.toWeb(stdin), lines, {
    maxMessageBytes: longestLine,
  });
  const writer = writable.getWriter();
  return {
    readable,
    writable: new WritableStream<AnyMessage>({
      async write(message) {
        try {
          await writer.write(message);
        } finally {
          if (!('method' in message)) open.taken();
        }
      },
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    }),
  };
}

/** Whoever asks and asks and takes no answer is not listened to until it does: the answers wait in our memory. */
class OpenAnswers {
  #open = 0;
  #room: PromiseWithResolvers<void> | undefined;

  async asked(): Promise<void> {
    this.#open += 1;
    while (this.#open > mostOpenAnswers) {
      this.#room ??= Promise.withResolvers<void>();
      await this.#room.promise;
    }
  }

  taken(): void {
    this.#open -= 1;
    this.#room?.resolve();
    this.#room = undefined;
  }
}

async function* messageLines(stdout: Readable, open: OpenAnswers): AsyncGenerator<Uint8Array> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, end + 1));
      const line = Buffer.concat(parts);
      parts = [];
      length = 0;
      from = end + 1;
      const kind = kindOf(line);
      if (kind === 'request') await open.asked();
      if (kind !== undefined) yield line;
    }
    length += chunk.length - from;
    if (length > longestLine) throw new Error('The agent wrote a line without an end.');
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
}

function kindOf(line: Buffer): 'request' | 'other' | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    if (typeof value !== 'object' || value === null || !('jsonrpc' in value)) return undefined;
    return 'method' in value && 'id' in value ? 'request' : 'other';
  } catch {
    return undefined;
  }
}

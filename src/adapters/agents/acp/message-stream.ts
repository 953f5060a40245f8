import type { Readable, Writable } from 'node:stream';
import { Writable as NodeWritable } from 'node:stream';
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk';

/** A whole page, in a message, escaped; whoever sends more in one line does not speak the protocol. */
const longestLine = 32 * 1024 * 1024;

/**
 * The protocol over the standard streams of a process. What is no message is dropped instead of answered:
 * programs greet, warn about their version or print progress on the same stream.
 */
export function messageStream(stdin: Writable, stdout: Readable): Stream {
  return ndJsonStream(NodeWritable.toWeb(stdin), ReadableStream.from(messageLines(stdout)), {
    maxMessageBytes: longestLine,
  });
}

async function* messageLines(stdout: Readable): AsyncGenerator<Uint8Array> {
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
      if (isMessage(line)) yield line;
    }
    length += chunk.length - from;
    if (length > longestLine) throw new Error('The agent wrote a line without an end.');
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
}

function isMessage(line: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return typeof value === 'object' && value !== null && 'jsonrpc' in value;
  } catch {
    return false;
  }
}

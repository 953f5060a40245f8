import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { messageStream } from '../../src/adapters/agents/acp/message-stream.ts';

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

describe('the streams of an agent', () => {
  it('bring on what it asks no faster than it takes the answers', async () => {
    const asked = 60;
    const taken = Promise.withResolvers<void>();
    let [got, took, most] = [0, 0, 0];
    const stdin = new Writable({
      // Nothing waits between here and the agent.
      highWaterMark: 1,
      write: (_chunk, _encoding, onWritten) => {
        took += 1;
        void taken.promise.then(() => onWritten());
      },
    });
    const stdout = new PassThrough();
    const { readable, writable } = messageStream(stdin, stdout);
    stdout.end(
      Array.from({ length: asked }, (_, id) => line({ id, method: 'fs/read_text_file', params: {} })).join(
        '',
      ),
    );
    const writer = writable.getWriter();
    const reading = (async () => {
      for await (const message of readable) {
        got += 1;
        most = Math.max(most, got - took);
        assert.ok('id' in message);
        void writer.write({ jsonrpc: '2.0', id: message.id ?? null, result: { content: 'A page' } });
      }
    })();
    // Long enough to bring on all of them, were there no bound.
    for (let n = 0; n < 500; n += 1) await turn();
    assert.equal(got, 16);
    taken.resolve();
    await reading;
    assert.equal(got, asked);
    assert.ok(most <= 17, `${most} answers waited`);
  });

  it('are messages and nothing else', async () => {
    const stdout = new PassThrough();
    const { readable } = messageStream(new PassThrough(), stdout);
    stdout.write(Buffer.from([0xff, 0xfe, 10]));
    stdout.write('Welcome!\n{"jsonrpc"\n7\nnull\n{}\n[1]\n\n');
    stdout.write('{"jsonrpc":"2.0","id":1,');
    stdout.write('"result":{}}\nGood bye');
    stdout.end();
    const messages: unknown[] = [];
    for await (const message of readable) messages.push(message);
    assert.deepEqual(messages, [{ jsonrpc: '2.0', id: 1, result: {} }]);
  });
});

import assert from 'node:assert/strict';
import { boundedAnswer } from '../../src/adapters/agents/model/bounded-answer.ts';

/** As `fetch` hands it over; nobody else can make one of these. */
const received = (status: number, statusText: string): Response =>
  Object.defineProperties(new Response('{"error":"no"}', { headers: { 'retry-after': '7' } }), {
    ok: { value: false },
    status: { value: status },
    statusText: { value: statusText },
  });

describe('the bounded answer of an endpoint', () => {
  const oddOnes: readonly (readonly [number, string, number, string])[] = [
    [401, 'Non autorisé', 401, 'Non autorisé'],
    [401, '未授权', 401, ''],
    [999, 'Request denied', 599, 'Request denied'],
  ];
  for (const [status, phrase, shownStatus, shownPhrase] of oddOnes) {
    it(`can be read with the status ${status} ${phrase}`, async () => {
      const answer = boundedAnswer(received(status, phrase));
      assert.deepEqual([answer.status, answer.statusText], [shownStatus, shownPhrase]);
      assert.equal(answer.headers.get('retry-after'), '7');
      assert.equal(await answer.text(), '{"error":"no"}');
    });
  }
});

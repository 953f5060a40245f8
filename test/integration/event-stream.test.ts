import assert from 'node:assert/strict';
import type { JobEvent } from '../../src/contract/events.ts';
import { routes } from '../../src/contract/routes.ts';
import type { Claim } from '../../src/service/ports/job-store.ts';
import { type ServiceApp, startServiceApp, testKey } from '../support/service-app.ts';

/** Reads frames of an event stream one by one. */
class Frames {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #rest = '';

  constructor(response: Response) {
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.ok(response.body);
    this.#reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** The next event; undefined at the end of the stream. Fields that are none of an event are passed over. */
  async next(): Promise<JobEvent | undefined> {
    for (;;) {
      const end = this.#rest.indexOf('\n\n');
      if (end >= 0) {
        const lines = this.#rest.slice(0, end).split('\n');
        this.#rest = this.#rest.slice(end + 2);
        const data = lines.find((line) => line.startsWith('data: '));
        if (data === undefined) continue;
        const event = JSON.parse(data.slice(6)) as JobEvent;
        assert.ok(lines.includes(`id: ${event.id}`));
        return event;
      }
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      this.#rest += value;
    }
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

describe('The stream of events', () => {
  let app: ServiceApp;
  let id: string;
  let claim: Claim;

  beforeEach(async () => {
    app = await startServiceApp();
    await app.call('PUT', routes.project('docs'), { repository: '/srv/docs' });
    const response = await app.call('POST', routes.createJob('docs'), { prompt: 'x' });
    ({ id } = (await response.json()) as { id: string });
    const claimed = await app.store.claim('test', 60_000);
    assert.ok(claimed);
    claim = claimed;
  });
  afterEach(() => app[Symbol.asyncDispose]());

  async function tell(message: string): Promise<void> {
    assert.ok(await app.store.addEvent(claim, 'progress', message));
    app.signals.changed(id);
  }

  async function finish(): Promise<void> {
    await app.store.finish(claim, { status: 'completed', summary: 'Done.', model: 'rules' });
    app.signals.changed(id);
  }

  const open = (headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> =>
    app.fetch(routes.events('docs', id), {
      ...init,
      headers: { Authorization: `Bearer ${testKey}`, Accept: 'text/event-stream', ...headers },
    });

  it('tells what was, then what comes, and ends with the job', async () => {
    const frames = new Frames(await open());
    assert.equal((await frames.next())?.type, 'created');
    assert.equal((await frames.next())?.type, 'claimed');
    const waiting = frames.next();
    await tell('Line one\nline two: data: x\n\nid: 99');
    assert.equal((await waiting)?.message, 'Line one\nline two: data: x\n\nid: 99');
    await finish();
    assert.equal((await frames.next())?.type, 'completed');
    assert.equal(await frames.next(), undefined);
    assert.equal(app.holds(), 0);
  });

  it('goes on after Last-Event-ID without a gap and without telling twice', async () => {
    const first = new Frames(await open());
    const created = await first.next();
    assert.ok(created);
    await first.cancel();
    await tell('While nobody listened');
    const second = new Frames(await open({ 'Last-Event-ID': String(created.id) }));
    assert.equal((await second.next())?.type, 'claimed');
    const missed = await second.next();
    assert.equal(missed?.message, 'While nobody listened');
    await second.cancel();
    await finish();
    const third = new Frames(await open({ 'Last-Event-ID': String(missed.id) }));
    assert.equal((await third.next())?.type, 'completed');
    assert.equal(await third.next(), undefined);
  });

  it('sends a reader home that knows everything of an ended job', async () => {
    await finish();
    const { events } = (await (await app.call('GET', routes.events('docs', id))).json()) as {
      events: JobEvent[];
    };
    assert.equal((await open({ 'Last-Event-ID': String(events.at(-1)?.id) })).status, 204);
    assert.equal(app.holds(), 0);
  });

  it('is the JSON page for who does not ask for a stream', async () => {
    const response = await open({ Accept: '*/*' });
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  });

  it('refuses an id that is none, and a job that is none', async () => {
    for (const last of ['x', '-1', '1.5', '9'.repeat(30)]) {
      assert.equal((await open({ 'Last-Event-ID': last })).status, 400, last);
    }
    const unknown = await app.fetch(routes.events('docs', 'job_1'), {
      headers: { Authorization: `Bearer ${testKey}`, Accept: 'text/event-stream' },
    });
    assert.equal(unknown.status, 404);
  });

  it('keeps the service awake while it is open, not longer', async () => {
    const frames = new Frames(await open());
    await frames.next();
    assert.equal(app.holds(), 1);
    await frames.cancel();
    assert.equal(app.holds(), 0);
  });

  it('ends when the service stops', async () => {
    const frames = new Frames(await open());
    await frames.next();
    await frames.next();
    const end = frames.next();
    app.stop.abort();
    assert.equal(await end, undefined);
    assert.equal(app.holds(), 0);
  });

  it('ends when the reader breaks off', async () => {
    const end = new AbortController();
    const response = await open({}, { signal: end.signal });
    const frames = new Frames(response);
    await frames.next();
    await frames.next();
    const rest = frames.next();
    end.abort();
    assert.equal(await rest, undefined);
    assert.equal(app.holds(), 0);
  });
});

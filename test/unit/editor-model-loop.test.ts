import assert from 'node:assert/strict';
import { ApiError } from '../../src/client/api-error.ts';
import type { EditorAnswer, EditorRequest } from '../../src/contract/editor-models.ts';
import { withJob } from '../../src/extension/entry-changes.ts';
import { entryKey, type JobEntry } from '../../src/extension/job-entry.ts';
import { aModel, EditorModelStand as Stand, settled } from '../support/editor-model-stand.ts';
import { aJob, anEntry, minute, noon } from '../support/job-entries.ts';

const request = (id: string): EditorRequest => ({ id, model: 'gpt', messages: [], tools: [] });
const done = (text: string): EditorAnswer => ({ kind: 'done', parts: [{ type: 'text', text }] });
const lent = anEntry({ agent: 'editor:gpt', createdAt: noon });

describe('Lending the editor’s models to jobs', () => {
  let stand: Stand;

  const begin = async (...entries: JobEntry[]): Promise<Stand> => {
    stand = new Stand(...entries);
    await settled();
    return stand;
  };
  afterEach(async () => {
    stand.loop.dispose();
    await settled();
    assert.deepEqual([stand.open, stand.listeners], [0, 0], 'something went on after the end');
  });

  for (const [what, entry] of [
    ['a job of the rules', anEntry({ agent: 'rules' })],
    ['a job of a model at an endpoint', anEntry({ agent: 'model:editor/gpt' })],
    ['a job without an agent', anEntry()],
    ['a job that has ended', anEntry({ agent: 'editor:gpt', job: { status: 'completed' } })],
    ['a job of a hosted service', anEntry({ agent: 'editor:gpt', service: 'https://api.example.com' })],
    [
      'a job that was not sent',
      anEntry({ agent: 'editor:gpt', job: undefined, problem: { code: 'x', message: 'x', at: noon } }),
    ],
    [
      'a create that was lost long ago',
      anEntry({ agent: 'editor:gpt', job: undefined, createdAt: noon - 5 * minute }),
    ],
  ] as const) {
    it(`asks nobody for ${what}`, async () => {
      await begin(entry);
      assert.deepEqual([stand.connects, stand.asked.length, stand.pauses], [0, 0, []]);
    });
  }

  it('asks the service for work, with the models of this window, while a job uses one', async () => {
    await begin(lent);
    const [window] = stand.asked;
    assert.deepEqual(window?.models, [aModel('gpt')]);
    assert.deepEqual(window.working, []);
    assert.ok(window.window.length >= 16);
    await stand.hand(undefined);
    assert.deepEqual(
      stand.asked.map((each) => each.window),
      [window.window, window.window],
      'one name for the life of a window',
    );
    assert.deepEqual(stand.pauses, []);
  });

  it('begins when a job is sent, and ends with it', async () => {
    await begin();
    assert.equal(stand.connects, 0);
    await stand.model.add({ ...lent, job: undefined });
    await settled();
    assert.equal(stand.open, 1);
    const ended = withJob(lent, aJob({ status: 'completed' }), noon + 1);
    await stand.model.update(entryKey(lent), () => ended);
    await settled();
    assert.equal(stand.open, 0);
  });

  it('is one loop, however many jobs and changes there are', async () => {
    await begin(lent, anEntry({ id: 'b', agent: 'editor:other' }));
    for (let at = 0; at < 5; at++) {
      await stand.model.add(anEntry({ id: `more ${at}`, agent: 'editor:gpt' }));
      stand.loop.plan();
    }
    await settled();
    assert.deepEqual([stand.asked.length, stand.mostOpen], [1, 1]);
  });

  it('ends when a create that nobody answered is given up', async () => {
    await begin({ ...lent, job: undefined });
    assert.equal(stand.open, 1);
    await stand.hand(undefined, 3 * minute);
    assert.equal(stand.open, 0);
  });

  it('waits for a workspace to be trusted', async () => {
    stand = new Stand();
    stand.mayRun = false;
    stand.model.load([lent]);
    await settled();
    assert.equal(stand.connects, 0);
    stand.mayRun = true;
    stand.loop.plan();
    await settled();
    assert.equal(stand.open, 1);
  });

  it('lets the model answer while it asks for more, and names what it works on', async () => {
    await begin(lent);
    await stand.hand(request('one'));
    assert.deepEqual(stand.asked.at(-1)?.working, ['one']);
    await stand.hand(request('two'));
    assert.deepEqual(stand.asked.at(-1)?.working, ['one', 'two']);
    stand.thinking.answer.resolve(done('2'));
    await settled();
    assert.deepEqual(stand.answers, [{ id: 'two', answer: done('2') }]);
    await stand.hand(undefined);
    assert.deepEqual(stand.asked.at(-1)?.working, ['one']);
  });

  it('passes on signs of life, not every one', async () => {
    await begin(lent);
    await stand.hand(request('one'));
    stand.thinking.progress();
    for (let second = 0; second < 7; second++) {
      stand.now += 1000;
      stand.thinking.progress();
      stand.thinking.progress();
    }
    await settled();
    assert.deepEqual(
      stand.answers.map(({ answer }) => answer.kind),
      ['progress', 'progress'],
    );
  });

  it('stops the model when nobody waits for its answer any more', async () => {
    await begin(lent);
    await stand.hand(request('one'));
    stand.answerFails = () => new ApiError('not_found', 'Nobody waits.');
    stand.now += 4000;
    stand.thinking.progress();
    await settled();
    assert.equal(stand.thinking.signal.aborted, true);
    stand.thinking.answer.resolve(done('late'));
    await settled();
    assert.deepEqual([stand.answers, stand.troubles], [[], []]);
  });

  it('goes on thinking when only a sign of life got lost', async () => {
    await begin(lent);
    await stand.hand(request('one'));
    stand.answerFails = ({ kind }) =>
      kind === 'progress' ? new ApiError('unreachable', 'The service cannot be reached.') : undefined;
    stand.now += 4000;
    stand.thinking.progress();
    await settled();
    assert.equal(stand.thinking.signal.aborted, false);
    stand.thinking.answer.resolve(done('yes'));
    await settled();
    assert.deepEqual(stand.answers, [{ id: 'one', answer: done('yes') }]);
  });

  it('stops the model, and says nothing more, when the job or the window ends', async () => {
    await begin(lent);
    await stand.hand(request('one'));
    stand.loop.dispose();
    assert.equal(stand.thinking.signal.aborted, true);
    stand.thinking.answer.resolve({ kind: 'failed', code: 'other', message: 'Cancelled' });
    await settled();
    assert.deepEqual([stand.answers, stand.troubles, stand.open], [[], [], 0]);
    await stand.model.add(anEntry({ id: 'later', agent: 'editor:gpt' }));
    stand.loop.plan();
    await settled();
    assert.equal(stand.open, 0);
  });

  it('tells once that the service is away, and asks ever more seldom until it is back', async () => {
    stand = new Stand();
    stand.connectFails = new ApiError('unreachable', 'The service cannot be reached.');
    stand.model.load([lent]);
    await settled();
    for (let round = 0; round < 6; round++) await stand.passPause();
    assert.deepEqual(stand.pauses, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    assert.equal(stand.troubles.length, 1);
    stand.connectFails = undefined;
    await stand.passPause();
    await stand.hand(undefined);
    await stand.fail(new ApiError('unreachable', 'Away again.'));
    assert.deepEqual([stand.pauses.at(-1), stand.troubles.length], [1000, 2]);
  });

  it('does not wait for the pause when it ends', async () => {
    stand = new Stand();
    stand.connectFails = new Error('away');
    stand.model.load([lent]);
    await settled();
    assert.equal(stand.pauses.length, 1);
    stand.loop.dispose();
    await settled();
    assert.equal(stand.connects, 1);
  });

  it('does not ask without end what answers at once', async () => {
    await begin(lent);
    await stand.hand(undefined, 0);
    assert.deepEqual([stand.pauses, stand.asked.length], [[500], 1]);
    await stand.passPause();
    assert.equal(stand.asked.length, 2);
  });

  it('tells at once of models that came or went', async () => {
    await begin(lent);
    await stand.changeModels('gpt', 'claude');
    if (stand.pauses.length > 0) await stand.passPause();
    assert.deepEqual(
      stand.asked.at(-1)?.models.map(({ id }) => id),
      ['gpt', 'claude'],
    );
    assert.deepEqual([stand.open, stand.mostOpen, stand.troubles], [1, 1, []]);
  });

  it('tells what could not be brought to the service', async () => {
    await begin(lent);
    await stand.hand(request('one'));
    stand.answerFails = () => new ApiError('server_error', 'Broken.');
    stand.thinking.answer.resolve(done('x'));
    await settled();
    assert.equal(stand.troubles.length, 1);
    await stand.hand(undefined);
    assert.deepEqual(stand.asked.at(-1)?.working, [], 'so the service hands it out again');
  });
});

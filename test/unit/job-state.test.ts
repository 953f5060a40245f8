import assert from 'node:assert/strict';
import {
  isUnseen,
  isWatched,
  sendingLimit,
  servicesWithRefusedKey,
  stateOf,
} from '../../src/extension/job-state.ts';
import { aJob, anEnded, anEntry, link, noon } from '../support/job-entries.ts';

const problem = (code: string) => ({ code, message: 'A sentence.', at: noon });

describe('The state of a job', () => {
  const states: [string, ReturnType<typeof anEntry>, string][] = [
    ['active runs', anEntry(), 'running'],
    ['active with a failed look still runs', anEntry({ problem: problem('unreachable') }), 'running'],
    ['active without a job at the service is gone', anEntry({ problem: problem('not_found') }), 'gone'],
    ['completed with a link', anEnded({ status: 'completed', prLink: link }), 'completed'],
    ['completed without a link', anEnded({ status: 'completed' }), 'nothingToChange'],
    ['failed without a reason', anEnded({ status: 'failed' }), 'failed'],
    ['archived', anEnded({ status: 'archived', prLink: link }), 'archived'],
    ['a word of tomorrow', anEntry({ job: { status: 'queued' } }), 'unknown'],
    ['not answered yet', anEntry({ job: undefined }), 'sending'],
    ['refused', anEntry({ job: undefined, problem: problem('unauthorized') }), 'notStarted'],
    ['answer lost', anEntry({ job: undefined, problem: problem('may_have_started') }), 'mayHaveStarted'],
  ];
  for (const [name, entry, kind] of states) {
    it(`tells ${kind}: ${name}`, () => assert.equal(stateOf(entry, noon).kind, kind));
  }

  it('knows that nothing had to change only where a change would have a pull request', () => {
    const hosted = { service: 'https://api.example.com' };
    const mayBePushed = (entry: ReturnType<typeof anEntry>): boolean | undefined => {
      const state = stateOf(entry, noon);
      return state.kind === 'nothingToChange' ? state.mayBePushed : undefined;
    };
    assert.equal(mayBePushed(anEnded({ status: 'completed' })), false);
    assert.equal(mayBePushed(anEnded({ status: 'completed' }, hosted)), true);
    assert.equal(mayBePushed(anEnded({ status: 'completed', filesChanged: 0 }, hosted)), false);
  });

  it('tells cancelled from failed', () => {
    const error = { code: 'cancelled', message: 'Cancelled.', retryable: false };
    assert.equal(stateOf(anEnded({ status: 'failed', error }), noon).kind, 'cancelled');
  });

  it('keeps an end when a later look fails with 404', () => {
    const entry = { ...anEnded({ status: 'completed', prLink: link }), problem: problem('not_found') };
    assert.equal(stateOf(entry, noon).kind, 'completed');
  });

  it('takes a create whose window died for one that may have started', () => {
    const entry = anEntry({ job: undefined });
    assert.equal(stateOf(entry, noon + sendingLimit - 1).kind, 'sending');
    assert.equal(stateOf(entry, noon + sendingLimit).kind, 'mayHaveStarted');
  });

  it('watches what a service may still change, and only that', () => {
    assert.equal(isWatched(anEntry()), true);
    assert.equal(isWatched(anEntry({ job: { status: 'queued' } })), true);
    assert.equal(isWatched(anEntry({ problem: problem('unauthorized') })), true);
    assert.equal(isWatched(anEntry({ problem: problem('not_found') })), false);
    assert.equal(isWatched(anEntry({ job: undefined })), false);
    for (const status of ['completed', 'failed', 'archived'])
      assert.equal(isWatched(anEnded({ status })), false);
  });

  it('counts an end as unseen until it was looked at, and anew after a follow-up', () => {
    const ended = anEnded({ status: 'completed' });
    assert.equal(isUnseen(ended), true);
    assert.equal(isUnseen({ ...ended, seenAt: ended.endedAt }), false);
    assert.equal(isUnseen({ ...ended, seenAt: ended.endedAt, endedAt: noon * 2 }), true);
  });

  it('does not count what a person did or what nobody saw end', () => {
    const error = { code: 'cancelled', message: 'Cancelled.', retryable: false };
    assert.equal(isUnseen(anEnded({ status: 'failed', error })), false);
    assert.equal(isUnseen(anEnded({ status: 'archived' })), false);
    assert.equal(isUnseen({ ...anEntry(), job: aJob({ status: 'completed' }) }), false);
    assert.equal(isUnseen(anEntry({ endedAt: noon })), false, 'active again');
  });
});

describe('Services whose key was refused', () => {
  const refused = { code: 'unauthorized', message: 'No.', at: noon };

  it('are those of running jobs, and never the local one', () => {
    const hosted = anEntry({ service: 'https://api.example.com', problem: refused });
    const fine = anEntry({ service: 'https://fine.example', id: 'fine' });
    const local = anEntry({ id: 'local', problem: refused });
    assert.deepEqual(
      [...servicesWithRefusedKey([hosted, fine, local, { ...hosted, id: 'second' }])],
      ['https://api.example.com'],
    );
  });

  it('are not those of jobs that ended', () => {
    const ended = anEnded({ status: 'failed' }, { service: 'https://api.example.com', problem: refused });
    assert.equal(servicesWithRefusedKey([ended]).size, 0);
  });
});

import assert from 'node:assert/strict';
import { isSameEntry, merge, withJob, withProblem, withSeen } from '../../src/extension/entry-changes.ts';
import { aJob, anEnded, anEntry, link, noon } from '../support/job-entries.ts';

describe('Changes of an entry', () => {
  it('notes the end when an active job is found ended, and only then', () => {
    const running = anEntry();
    const ended = withJob(running, aJob({ status: 'completed' }), noon + 5);
    assert.equal(ended.endedAt, noon + 5);
    assert.equal(withJob(ended, aJob({ status: 'completed' }), noon + 9).endedAt, noon + 5);
    assert.equal(running.endedAt, undefined, 'the old object stays as it was');
  });

  it('notes no end for a job that is first met ended', () => {
    assert.equal(withJob(anEntry({ job: undefined }), aJob({ status: 'failed' }), noon).endedAt, undefined);
  });

  it('clears the problem by a look that succeeds, and keeps the state by one that fails', () => {
    const troubled = withProblem(anEntry({ checkedAt: noon }), {
      code: 'timeout',
      message: 'Late.',
      at: noon + 1,
    });
    assert.equal(troubled.job?.status, 'active');
    assert.equal(troubled.checkedAt, noon);
    assert.equal(withJob(troubled, aJob(), noon + 2).problem, undefined);
  });

  it('takes the prompt of a watched job from the service, never over the own one', () => {
    assert.equal(withJob(anEntry({ prompt: '' }), aJob({ prompt: 'Tidy' }), noon).prompt, 'Tidy');
    assert.equal(withJob(anEntry({ prompt: 'Mine' }), aJob({ prompt: 'Theirs' }), noon).prompt, 'Mine');
  });
});

describe('Joining what two windows know', () => {
  const running = anEntry({ checkedAt: noon });
  const versions = [
    anEntry(),
    running,
    withProblem(running, { code: 'timeout', message: 'Late.', at: noon + 1 }),
    withProblem(running, { code: 'unreachable', message: 'Away.', at: noon + 1 }),
    anEnded({ status: 'completed', prLink: link }),
    withSeen(anEnded({ status: 'completed', prLink: link }), noon + 100_000),
    anEnded({ status: 'failed' }),
    anEntry({ checkedAt: noon + 200_000, openedAt: noon + 3 }),
  ];

  it('gives the same whoever writes first, and whichever pair is joined first', () => {
    for (const a of versions) {
      for (const b of versions) {
        assert.ok(isSameEntry(merge(a, b), merge(b, a)));
        for (const c of versions) assert.ok(isSameEntry(merge(merge(a, b), c), merge(a, merge(b, c))));
      }
    }
  });

  it('changes nothing where nothing is new', () => {
    for (const a of versions) assert.equal(merge(a, structuredClone(a)), a);
  });

  it('does not undo an end by a window that marks an older state as seen', () => {
    const ended = anEnded({ status: 'completed', prLink: link });
    const stale = withSeen(running, noon + 100_000);
    const joined = merge(ended, stale);
    assert.equal(joined.job?.status, 'completed');
    assert.equal(joined.seenAt, noon + 100_000);
    assert.equal(joined.endedAt, ended.endedAt);
  });

  it('drops a problem that is older than the last good look', () => {
    const troubled = withProblem(running, { code: 'timeout', message: 'Late.', at: noon + 1 });
    assert.equal(merge(troubled, anEntry({ checkedAt: noon + 2 })).problem, undefined);
    assert.equal(merge(running, troubled).problem?.code, 'timeout');
  });
});

import assert from 'node:assert/strict';
import { toAgentJob } from '../../src/service/agent-job.ts';
import { agentJobSchema } from '../../src/contract/job.ts';
import { durationInWords } from '../../src/service/duration.ts';
import { isJobId, newJobId } from '../../src/service/job-id.ts';
import type { Job } from '../../src/service/job.ts';
import { titleOf } from '../../src/service/title.ts';

describe('a job id', () => {
  it('sorts by time', () => {
    const times = [
      0,
      1,
      31,
      32,
      1_000_000,
      Date.UTC(2026, 0, 1),
      Date.UTC(2026, 0, 1) + 1,
      Date.UTC(3000, 0, 1),
    ];
    const ids = times.map(newJobId);
    assert.deepEqual(ids.toSorted(), ids);
  });

  it('is never the same and is known as one', () => {
    const ids = Array.from({ length: 1000 }, () => newJobId(5));
    assert.equal(new Set(ids).size, 1000);
    assert.ok(ids.every(isJobId));
    for (const text of ['', 'job_', `${ids[0]}x`, `x${ids[0]}`, 'job_../../etc/passwd', `${ids[0]}\n`]) {
      assert.equal(isJobId(text), false, text);
    }
  });
});

describe('the title of a job', () => {
  it('is its prompt on one line', () => {
    assert.equal(titleOf('  Replace\n\t"a"  with\u0000 "b" '), 'Replace "a" with "b"');
  });

  it('is cut between words, to one line of the sidebar', () => {
    const title = titleOf('Document the new retry option everywhere '.repeat(5));
    assert.equal(title, 'Document the new retry option everywhere Document the new retry option…');
    assert.equal([...titleOf('字'.repeat(100))].length, 72);
    assert.ok(titleOf('👩‍💻'.repeat(100)).isWellFormed());
  });

  it('is never empty', () => {
    assert.equal(titleOf(' \u200B\n'), 'Untitled');
  });
});

describe('a time in words', () => {
  it('is in seconds, minutes, hours or days', () => {
    assert.deepEqual([1, 1000, 90_000, 600_000].map(durationInWords), [
      '1 second',
      '1 second',
      '2 minutes',
      '10 minutes',
    ]);
    assert.equal(durationInWords(45_000), '45 seconds');
    assert.equal(durationInWords(2 * 3_600_000), '120 minutes');
    assert.equal(durationInWords(5 * 3_600_000), '5 hours');
    assert.equal(durationInWords(365 * 86_400_000), '365 days');
  });
});

describe('a job on the wire', () => {
  const job: Job = {
    id: 'job_1',
    projectId: 'docs',
    status: 'completed',
    title: 't',
    prompt: 'p',
    agent: 'rules',
    model: 'rules',
    repository: '/r',
    step: 'Pushing',
    work: {
      baseBranch: 'main',
      branch: 'b',
      filesChanged: 2,
      pullRequest: { number: 1, link: '/reviews/x' },
    },
    summary: 's',
    error: undefined,
    attempt: 1,
    createdAt: 0,
    updatedAt: 1000,
    archivedAt: undefined,
  };

  it('has every field of the contract, and a link that opens', () => {
    const wire = toAgentJob(job, 'http://127.0.0.1:4711');
    assert.deepEqual(agentJobSchema.parse(wire), wire);
    assert.equal(wire.prLink, 'http://127.0.0.1:4711/reviews/x');
    assert.deepEqual(
      [wire.source, wire.createdAt],
      [{ repository: '/r', ref: 'b' }, '1970-01-01T00:00:00.000Z'],
    );
    assert.deepEqual([wire.archivedAt, wire.error, wire.step], [null, null, null]);
  });

  it('has the link of a code host as it is', () => {
    const link = 'https://github.com/o/r/pull/1';
    assert.equal(toAgentJob({ ...job, work: { pullRequest: { number: 1, link } } }, 'http://x').prLink, link);
  });

  it('has no link while it is active, and its step only then', () => {
    const wire = toAgentJob({ ...job, status: 'active' }, 'http://x');
    assert.deepEqual([wire.prLink, wire.step], [null, 'Pushing']);
  });

  it('names the base branch while it has none of its own', () => {
    assert.equal(toAgentJob({ ...job, work: { baseBranch: 'main' } }, 'http://x').source.ref, 'main');
    assert.equal(toAgentJob({ ...job, work: {} }, 'http://x').source.ref, null);
  });
});

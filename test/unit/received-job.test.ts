import assert from 'node:assert/strict';
import { agentJobSchema, hasEnded, isKnownStatus, jobStatuses, readJob } from '../../src/contract/job.ts';
import { promptRequestSchema } from '../../src/contract/requests.ts';
import { routes } from '../../src/contract/routes.ts';

const full = {
  id: 'job_1',
  status: 'completed',
  source: { repository: 'https://github.com/acme/docs', ref: 'agent/x' },
  model: 'rules',
  prLink: 'https://github.com/acme/docs/pull/1',
  createdAt: '2026-01-01T00:00:00.000Z',
  archivedAt: null,
  title: 'Replace a term',
  prompt: 'Replace "a" with "b"',
  branch: 'agent/x',
  summary: 'Replaced.',
  filesChanged: 3,
  updatedAt: '2026-01-01T00:01:00.000Z',
  step: null,
  error: null,
};

describe('reading a job from any provider', () => {
  it('keeps everything that is well-formed', () => {
    const { source, archivedAt: _, step: _step, error: _error, ...rest } = full;
    assert.deepEqual(readJob(full), {
      ...rest,
      repository: source.repository,
      ref: source.ref,
      archivedAt: undefined,
      step: undefined,
      error: undefined,
    });
  });

  it('reads each field that is missing, null or of another type as absent, and keeps the others', () => {
    for (const field of Object.keys(full).filter((name) => name !== 'id' && name !== 'status')) {
      const { [field as 'model']: _, ...without } = full;
      for (const odd of [without, { ...full, [field]: null }, { ...full, [field]: [[]] }]) {
        const job = readJob(odd);
        assert.ok(job, field);
        assert.equal(job.id, 'job_1');
        if (field === 'source') assert.equal(job.repository, undefined);
        else assert.equal(job[field as 'model'], undefined);
        assert.equal(field === 'model' ? job.title : job.model, field === 'model' ? full.title : 'rules');
      }
    }
  });

  it('is nothing without a usable id and status', () => {
    for (const value of [
      undefined,
      null,
      'job',
      5,
      [],
      {},
      { id: 'a' },
      { status: 'active' },
      { id: '', status: 'active' },
      { id: 'a', status: '' },
      { id: 1, status: 'active' },
      { id: 'a', status: { word: 'active' } },
      [full],
    ]) {
      assert.equal(readJob(value), undefined, JSON.stringify(value));
    }
  });

  it('is not led astray by a prototype in the JSON', () => {
    const job = readJob(
      JSON.parse('{"id":"a","status":"active","__proto__":{"prLink":"https://evil.example"}}'),
    );
    assert.equal(job?.prLink, undefined);
  });

  it('knows which statuses are an end', () => {
    assert.deepEqual(jobStatuses.filter(hasEnded), ['completed', 'archived', 'failed']);
    for (const word of ['paused', 'ACTIVE', 'constructor', '']) {
      assert.equal(hasEnded(word), false);
      assert.equal(isKnownStatus(word), false);
    }
    assert.ok(jobStatuses.every(isKnownStatus));
  });
});

describe('what our service sends and takes', () => {
  it('is a job with every published field', () => {
    assert.ok(agentJobSchema.safeParse(full).success);
    for (const field of ['id', 'status', 'source', 'model', 'prLink', 'createdAt', 'archivedAt']) {
      const { [field as 'id']: _, ...without } = full;
      assert.equal(agentJobSchema.safeParse(without).success, false, field);
    }
  });

  it('is a prompt of at least one and at most 32,000 characters, and unknown fields are ignored', () => {
    assert.deepEqual(promptRequestSchema.parse({ prompt: 'x', branch: 'y' }), { prompt: 'x' });
    assert.ok(promptRequestSchema.safeParse({ prompt: 'x'.repeat(32_000) }).success);
    for (const body of [{}, { prompt: '' }, { prompt: 5 }, { prompt: 'x'.repeat(32_001) }, null, 'x']) {
      assert.equal(promptRequestSchema.safeParse(body).success, false);
    }
  });

  it('is reached by routes that nothing from outside can leave', () => {
    for (const hostile of ['../../x', 'a/b', 'a?b', 'a#b', 'a%2fb', '..;', 'ü 字']) {
      const { pathname, search, hash } = new URL(routes.job(hostile, hostile), 'https://h.example');
      assert.equal(search + hash, '');
      assert.equal(pathname.split('/').length, 6, pathname);
      assert.equal(decodeURIComponent(pathname.split('/').at(-1) ?? ''), hostile);
    }
  });
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { RequestErrorCode } from '../../src/contract/errors.ts';
import { agentJobSchema } from '../../src/contract/job.ts';
import { JobService } from '../../src/service/job-service.ts';
import { defaultRequestLimits } from '../../src/service/limits.ts';
import { RequestError } from '../../src/service/request-error.ts';
import { storedJob } from '../support/job-store-place.ts';
import { JobWorld } from '../support/job-world.ts';
import { newJob } from '../support/new-job.ts';

describe('the job service', () => {
  let world: JobWorld;
  let jobs: JobService;
  const tokens = new Map<string, string>();
  const prompt = (text: string): { prompt: string } => ({ prompt: text });

  beforeEach(async () => {
    world = new JobWorld();
    jobs = service();
    await jobs.putProject('docs', { repository: 'https://code.example/r.git' });
  });
  afterEach(() => world[Symbol.asyncDispose]());

  function service(limits = defaultRequestLimits): JobService {
    return new JobService({
      store: world.stores.jobs,
      projects: world.stores.projects,
      workspaces: world.repository,
      signals: world.signals,
      limits,
      defaultAgent: 'rules',
      baseUrl: () => 'http://127.0.0.1:4711',
      rememberHostToken: (id, token) => tokens.set(id, token),
      now: () => world.now,
    });
  }

  async function refuses(
    work: Promise<unknown>,
    code: RequestErrorCode,
    message: RegExp,
  ): Promise<RequestError> {
    const error: unknown = await work.then(
      () => assert.fail('it was not refused'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof RequestError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return error;
  }

  it('answers a new job at once, as the contract has it', async () => {
    const { job, replayed } = await jobs.create('docs', prompt('Fix the links'));
    assert.deepEqual(agentJobSchema.parse(job), job);
    assert.equal(replayed, false);
    assert.deepEqual(
      [job.status, job.title, job.prompt, job.model, job.prLink, job.source.repository],
      ['active', 'Fix the links', 'Fix the links', 'rules', null, 'https://code.example/r.git'],
    );
    assert.deepEqual(await jobs.get('docs', job.id), job);
    assert.equal(await jobs.activeCount(), 1);
  });

  it('says how to make an unknown project known', async () => {
    const unknown = /does not know the project id.*PUT \/v2\/projects/;
    await refuses(jobs.create('nope', prompt('x')), 'not_found', unknown);
    await refuses(jobs.get('nope', 'job_1'), 'not_found', unknown);
    await refuses(jobs.followUp('nope', 'job_1', prompt('x')), 'not_found', unknown);
    await refuses(jobs.list('nope', { limit: 1 }), 'not_found', unknown);
  });

  it('says that a job is unknown, also one of another project', async () => {
    await jobs.putProject('other', { repository: '/other' });
    const { job } = await jobs.create('other', prompt('x'));
    for (const id of ['job_1', job.id]) {
      await refuses(jobs.get('docs', id), 'not_found', /no such job/);
      await refuses(jobs.cancel('docs', id), 'not_found', /no such job/);
      await refuses(jobs.archive('docs', id), 'not_found', /no such job/);
      await refuses(jobs.events('docs', id, { after: 0, limit: 1 }), 'not_found', /no such job/);
      await refuses(jobs.diff('docs', id), 'not_found', /no such job/);
      await refuses(jobs.followUp('docs', id, prompt('x')), 'not_found', /no such job/);
    }
  });

  it('refuses a prompt of blanks', async () => {
    await refuses(jobs.create('docs', prompt(' \n')), 'invalid_request', /empty/);
  });

  it('gives a job the agent that was asked for, else the default one', async () => {
    const agent = 'model:ollama/qwen3:8b';
    const asked = await jobs.create('docs', { prompt: 'x', agent });
    const unasked = await jobs.create('docs', prompt('x'));
    assert.equal(asked.job.model, agent, 'until the agent has told its own name');
    assert.equal(unasked.job.model, 'rules');
    assert.equal((await world.job(asked.job.id)).agent, agent);
    assert.equal((await world.job(unasked.job.id)).agent, 'rules');
  });

  it('takes the same prompt for another agent for another request', async () => {
    const first = await jobs.create('docs', { prompt: 'x', agent: 'acp:opencode' }, 'key');
    assert.equal((await jobs.create('docs', { prompt: 'x', agent: 'acp:opencode' }, 'key')).replayed, true);
    for (const other of [prompt('x'), { prompt: 'x', agent: 'acp:codex' }]) {
      await refuses(jobs.create('docs', other, 'key'), 'conflict', /another prompt or agent/);
    }
    assert.equal((await jobs.list('docs', { limit: 9 })).jobs.length, 1);
    assert.equal((await world.job(first.job.id)).agent, 'acp:opencode');
  });

  it('knows a key again that was used before requests could name an agent', async () => {
    const fingerprint = createHash('sha256').update('x', 'utf8').digest('hex');
    const old = await world.stores.jobs.create(newJob({ prompt: 'x' }), { key: 'key', fingerprint });
    const again = await jobs.create('docs', prompt('x'), 'key');
    assert.deepEqual([again.replayed, again.job.id], [true, storedJob(old).id]);
  });

  it('honours idempotency keys', async () => {
    const first = await jobs.create('docs', prompt('x'), 'key');
    const again = await jobs.create('docs', prompt('x'), 'key');
    assert.deepEqual([again.replayed, again.job.id], [true, first.job.id]);
    await refuses(jobs.create('docs', prompt('y'), 'key'), 'conflict', /Idempotency-Key/);
    await refuses(jobs.create('docs', prompt('x'), ''), 'invalid_request', /1 to 255/);
    await refuses(jobs.create('docs', prompt('x'), 'k'.repeat(256)), 'invalid_request', /1 to 255/);
    const message = await jobs.followUp('docs', first.job.id, prompt('more'), 'key');
    assert.equal(message.replayed, false);
    assert.equal((await jobs.followUp('docs', first.job.id, prompt('more'), 'key')).replayed, true);
  });

  it('limits the creates and the messages of a project and hour, and says when to come back', async () => {
    const limited = service({ createsPerHour: 2, messagesPerHour: 1, hourMs: 3_600_000 });
    const { job } = await limited.create('docs', prompt('1'));
    world.now += 600_000;
    await limited.create('docs', prompt('2'));
    const refusal = await refuses(limited.create('docs', prompt('3')), 'rate_limited', /hourly limit/);
    assert.equal(refusal.retryAfter, 3000);
    await limited.followUp('docs', job.id, prompt('a'));
    await refuses(limited.followUp('docs', job.id, prompt('b')), 'rate_limited', /hourly limit/);
    world.now += 3_000_000;
    await limited.create('docs', prompt('3'));
  });

  it('lists page by page, and refuses a cursor that is none', async () => {
    for (const text of ['1', '2', '3']) await jobs.create('docs', prompt(text));
    const first = await jobs.list('docs', { limit: 2 });
    assert.deepEqual(
      first.jobs.map((job) => job.prompt),
      ['3', '2'],
    );
    const second = await jobs.list('docs', { limit: 2, cursor: first.nextCursor ?? '' });
    assert.deepEqual([second.jobs.map((job) => job.prompt), second.nextCursor], [['1'], null]);
    await refuses(jobs.list('docs', { limit: 2, cursor: "' OR 1=1" }), 'invalid_request', /cursor/);
  });

  it('cancels what is active, and says so when it has ended', async () => {
    const { job } = await jobs.create('docs', prompt('x'));
    const cancelled: string[] = [];
    using _ear = world.signals.onCancelled((id) => cancelled.push(id));
    const ended = await jobs.cancel('docs', job.id);
    assert.deepEqual([ended.status, ended.error?.code], ['failed', 'cancelled']);
    assert.deepEqual(cancelled, [job.id]);
    await refuses(jobs.cancel('docs', job.id), 'conflict', /ended already/);
    assert.deepEqual(cancelled, [job.id]);
  });

  it('archives what has ended, and takes no follow-up for it', async () => {
    const { job } = await jobs.create('docs', prompt('nothing'));
    await refuses(jobs.archive('docs', job.id), 'conflict', /still active/);
    await world.attempt();
    const archived = await jobs.archive('docs', job.id);
    assert.equal(archived.status, 'archived');
    assert.ok(archived.archivedAt);
    assert.deepEqual(await jobs.archive('docs', job.id), archived);
    await refuses(jobs.followUp('docs', job.id, prompt('more')), 'conflict', /archived/);
  });

  it('shows the whole change, also a refused one, and nothing while there is none', async () => {
    const { job } = await jobs.create('docs', prompt('a.md=new'));
    assert.equal(await jobs.diff('docs', job.id), '');
    await world.attempt();
    assert.equal(await jobs.diff('docs', job.id), '+++ b/a.md\n+new\n');
    await jobs.followUp('docs', job.id, prompt('.github/x=1'));
    await world.attempt();
    assert.match(await jobs.diff('docs', job.id), /\+\+\+ b\/\.github\/x/);
  });

  describe('tells events', () => {
    it('page by page, to the end of an ended job', async () => {
      const { job } = await jobs.create('docs', prompt('nothing'));
      const active = await jobs.events('docs', job.id, { after: 0, limit: 50 });
      assert.deepEqual([active.events.length, active.nextCursor], [1, '1']);
      assert.equal((await jobs.events('docs', job.id, { after: 1, limit: 50 })).nextCursor, '1');
      await world.attempt();
      const seen = [];
      for (let after = 0, cursor: string | null = ''; cursor !== null; after = Number(cursor)) {
        const page = await jobs.events('docs', job.id, { after, limit: 2 });
        seen.push(...page.events);
        cursor = page.nextCursor;
      }
      assert.deepEqual(seen, await world.events(job.id));
    });

    it('as they come, until the job has ended', async () => {
      const { job } = await jobs.create('docs', prompt('a.md=new'));
      const stream = jobs.subscribe('docs', job.id, 0, new AbortController().signal);
      assert.equal((await stream.next()).value?.type, 'created');
      const waiting = stream.next();
      await world.attempt();
      assert.equal((await waiting).value?.type, 'claimed');
      const rest = [];
      for await (const event of stream) rest.push(event);
      assert.deepEqual(rest, (await world.events(job.id)).slice(2));
    });

    it('from the middle', async () => {
      const { job } = await jobs.create('docs', prompt('a.md=new'));
      await world.attempt();
      const seen = [];
      for await (const event of jobs.subscribe('docs', job.id, 3, new AbortController().signal))
        seen.push(event);
      assert.deepEqual(seen, (await world.events(job.id)).slice(3));
    });

    it('that another process wrote, which nudges nobody here', async () => {
      const { job } = await jobs.create('docs', prompt('x'));
      const stream = jobs.subscribe('docs', job.id, 1, new AbortController().signal);
      const waiting = stream.next();
      await world.claim();
      assert.equal((await waiting).value?.type, 'claimed');
      await stream.return();
    });

    it('until the reader goes, and keeps no ear on the job', async () => {
      const { job } = await jobs.create('docs', prompt('x'));
      const controller = new AbortController();
      const stream = jobs.subscribe('docs', job.id, 1, controller.signal);
      const waiting = stream.next();
      setImmediate(() => controller.abort());
      assert.equal((await waiting).done, true);
    });

    it('or says at once that there is no such job', async () => {
      const stream = jobs.subscribe('docs', 'job_1', 0, new AbortController().signal);
      await refuses(stream.next(), 'not_found', /no such job/);
    });
  });

  describe('learns a project', () => {
    it('and keeps its token in memory only', async () => {
      const project = await jobs.putProject('docs', { repository: '/r', hostToken: 'secret-token' });
      assert.deepEqual(project, { id: 'docs', repository: '/r' });
      assert.equal(tokens.get('docs'), 'secret-token');
      assert.deepEqual(await world.stores.projects.get('docs'), project);
    });

    it('but not with an id or a repository that cannot be', async () => {
      await refuses(jobs.putProject('../x', { repository: '/r' }), 'invalid_request', /project id/);
      await refuses(jobs.putProject('docs', { repository: 'relative' }), 'invalid_request', /absolute path/);
    });
  });
});

import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Problem } from '../../src/docset/checks.ts';
import type { AgentTask } from '../../src/service/ports/agent.ts';
import type { RunJobDeps } from '../../src/service/run-job.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { JobWorld, obedient } from '../support/job-world.ts';

/** Of a page `bad bad`, twice. */
const badWords = (path: string, text: string): Problem[] =>
  [...text.matchAll(/bad/g)].map(() => ({ path, line: 1, kind: 'link', message: `${path} is bad` }));

describe('what the checks found', () => {
  let world: JobWorld;
  let tasks: AgentTask[];
  /** What the agent makes of `a.md` at its first answer and at each repair. */
  let answers: (string | Error | undefined)[];

  beforeEach(() => {
    world = new JobWorld();
    world.repairs = true;
    tasks = [];
    world.agent = (files, task) => {
      tasks.push(task);
      const text = answers[tasks.length - 1];
      if (text instanceof Error) throw text;
      if (text === undefined) files.set('a.md', 'a');
      else files.set('a.md', text);
      const number = tasks.length;
      return { title: `Title ${number}`, summary: `Answer ${number}.`, conversation: `talk ${number}` };
    };
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const deps = (limits = {}): RunJobDeps => ({
    ...world.deps(limits),
    check: async ({ directory }) => {
      const files = world.repository.directories.get(directory);
      return [...(files ?? [])].flatMap(([path, text]) => badWords(path, text));
    },
  });
  const delivered = async (id: string): Promise<{ text: string | undefined; body: string }> => {
    const { work, status } = await world.job(id);
    assert.equal(status, 'completed');
    return {
      text: world.repository.file(work.branch ?? '', 'a.md'),
      body: world.host.pullRequests[0]?.body ?? '',
    };
  };

  it('goes back to the agent, in the same conversation, until nothing is left', async () => {
    answers = ['bad bad', 'bad', 'good', 'never'];
    const { id, summary, work } = await world.run('look', deps());
    const { text, body } = await delivered(id);
    assert.equal(text, 'good');
    assert.match(body, /nothing got worse/);
    assert.deepEqual(
      tasks.map(({ prompt, repair, conversation }) => ({ prompt, repair, conversation })),
      [
        { prompt: 'look', repair: undefined, conversation: undefined },
        {
          prompt: 'look',
          repair: ['a.md, line 1: a.md is bad', 'a.md, line 1: a.md is bad'],
          conversation: 'talk 1',
        },
        { prompt: 'look', repair: ['a.md, line 1: a.md is bad'], conversation: 'talk 2' },
      ],
    );
    assert.equal(summary, 'Answer 1.\n\nAnswer 2.\n\nAnswer 3.');
    assert.deepEqual([work.title, work.conversation], ['Title 1', 'talk 3']);
    await world.followUp(id, 'more');
    answers[3] = 'better';
    await world.attempt(deps());
    assert.equal(tasks[3]?.conversation, 'talk 3');
    assert.equal(tasks[3]?.repair, undefined);
    assert.equal((await delivered(id)).text, 'better');
  });

  it('goes back so often and no more; what remains is told', async () => {
    answers = ['bad bad bad bad', 'bad bad bad', 'bad bad', 'bad'];
    const { id } = await world.run('look', deps());
    const { text, body } = await delivered(id);
    assert.equal(tasks.length, 3);
    assert.equal(text, 'bad bad');
    assert.equal(body.split('a.md is bad').length, 3);
    const warnings = (await world.events(id)).filter(({ type }) => type === 'warning');
    assert.equal(warnings.length, 2, 'what was repaired is no warning');
  });

  it('does not go back to an agent that repairs nothing, nor when there is nothing to repair', async () => {
    answers = ['good', 'never'];
    assert.equal((await delivered((await world.run('look', deps())).id)).text, 'good');
    world.repairs = false;
    answers = ['', 'bad', 'never'];
    await world.run('look', deps());
    assert.equal(tasks.length, 2);
  });

  for (const [what, text] of [
    ['makes nothing better', 'bad again'],
    ['makes it worse', 'bad bad bad'],
    ['takes everything back', undefined],
    ['fails', new ServiceError('model_overloaded', 'Busy.', { retryable: true })],
    ['breaks down', new TypeError('odd')],
  ] as const) {
    it(`stays as it was when a repair ${what}`, async () => {
      answers = ['bad', text, 'never'];
      const { id, summary, work } = await world.run('look', deps());
      const found = await delivered(id);
      assert.equal(tasks.length, 2);
      assert.deepEqual([found.text, summary, work.conversation], ['bad', 'Answer 1.', 'talk 1']);
      assert.match(found.body, /a\.md is bad/);
    });
  }

  it('stays as it was when a repair touches what no job may change', async () => {
    answers = ['bad', 'good'];
    const { agent } = world;
    world.agent = (files, task) => {
      if (task.repair !== undefined) files.set('.github/workflows/x.yml', 'on: push');
      return agent(files, task);
    };
    const { id, work } = await world.run('look', deps());
    assert.equal((await delivered(id)).text, 'bad');
    assert.equal(world.repository.file(work.branch ?? '', '.github/workflows/x.yml'), undefined);
    assert.equal(work.refusedCommit, undefined);
  });

  it('stays as it was when a repair takes too long, and when there is no time for one', async () => {
    world.agent = async (files, task) => {
      tasks.push(task);
      if (task.repair === undefined) return obedient(files, task);
      files.set('a.md', 'half');
      const aborted = new Promise((resolve) => {
        task.signal.addEventListener('abort', resolve, { once: true });
      });
      mock.timers.tick(30);
      await aborted;
      throw task.signal.reason;
    };
    // The time is up when the agent is at it, and not before.
    mock.timers.enable({ apis: ['setTimeout'] });
    const { id } = await world.run('a.md=bad', deps({ repairMs: 30 })).finally(() => mock.timers.reset());
    assert.equal((await delivered(id)).text, 'bad');
    assert.equal(tasks.length, 2);
    await world.run('a.md=bad', deps({ repairMs: 0 }));
    assert.equal(tasks.length, 3);
  });

  it('is bounded and without secrets when it goes back', async () => {
    answers = ['bad', 'good'];
    const problem = {
      path: 'a.md',
      line: 1,
      kind: 'link',
      message: `hunter2hunter2 ${'x'.repeat(2000)}`,
    } as const;
    let runs = 0;
    const many = Array.from({ length: 500 }, () => problem);
    await world.run('look', { ...deps(), check: async () => (runs++ === 0 ? many : []) });
    const { repair = [] } = tasks[1] ?? {};
    assert.equal(repair.length, 51);
    assert.equal(repair.at(-1), 'There are 450 more.');
    assert.ok(repair.every((text) => text.length <= 500 && !text.includes('hunter2')));
  });

  it('counts as not repaired when the checks break down after a repair', async () => {
    answers = ['bad', 'good'];
    let runs = 0;
    const { check } = deps();
    const broken: RunJobDeps['check'] = async (change, signal) => {
      if (runs++ > 0) throw new TypeError('odd page');
      return check(change, signal);
    };
    const { id } = await world.run('look', { ...deps(), check: broken });
    assert.equal((await delivered(id)).text, 'bad');
  });

  it('is not repaired any more when the job is cancelled meanwhile', async () => {
    const stop = new AbortController();
    world.agent = async (files, task) => {
      tasks.push(task);
      if (task.repair === undefined) return obedient(files, task);
      stop.abort(new Error('cancelled'));
      throw task.signal.reason;
    };
    const id = await world.create('a.md=bad');
    await world.attempt(deps(), stop.signal);
    assert.equal(tasks.length, 2);
    assert.deepEqual(world.repository.jobBranches, []);
    assert.equal((await world.job(id)).status, 'active', 'whoever broke it off says how it ends');
  });
});

import assert from 'node:assert/strict';
import type { CheckCommandResult } from '../../src/service/ports/check-command.ts';
import type { RunJobDeps } from '../../src/service/run-job.ts';
import type { Files } from '../support/scripted-repository.ts';
import { JobWorld, obedient } from '../support/job-world.ts';

const failed = (output: string): CheckCommandResult => ({ kind: 'failed', exitCode: 2, output });

describe('the check command of a repository', () => {
  let world: JobWorld;
  /** What was run: the command, and what stood in `a.md`. */
  let runs: (readonly [string, string | undefined])[];
  let answer: (files: Files) => CheckCommandResult;

  beforeEach(() => {
    world = new JobWorld();
    runs = [];
    answer = () => ({ kind: 'passed' });
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const deps = (): RunJobDeps => ({
    ...world.deps(),
    checkCommand: {
      run: async (command, directory) => {
        const files = world.repository.directories.get(directory);
        assert.ok(files, 'it has no directory');
        runs.push([command, files.get('a.md')]);
        // Whatever it leaves there is no part of the change.
        const result = answer(new Map(files));
        files.set('left-behind.md', 'x');
        return result;
      },
    },
  });

  /** Runs a job where the repository's settings and the person say this. */
  const job = async (settings: string | undefined, allowedCheck: string | undefined, prompt = 'a.md=new') => {
    if (settings !== undefined) {
      const before = world.repository.branches.get('main');
      const files = new Map([
        ...world.repository.commit(before).files,
        ['.docs-agent.json', settings] as const,
      ]);
      world.repository.branches.set('main', world.repository.addCommit(before, files, 'Settings'));
    }
    const id = await world.create(prompt);
    await world.stores.projects.put({
      id: 'docs',
      repository: 'https://code.example/r.git',
      ...(allowedCheck !== undefined && { allowedCheck }),
    });
    await world.attempt(deps());
    const found = await world.job(id);
    assert.equal(found.status, 'completed');
    return { id, found, body: world.host.pullRequests.at(-1)?.body ?? '' };
  };
  const settings = JSON.stringify({ check: 'vale docs' });

  it('runs when the person has allowed it word for word, on a copy of the commit', async () => {
    const { body, found } = await job(settings, 'vale docs');
    assert.deepEqual(runs, [['vale docs', 'new']]);
    assert.match(body, /own check `vale docs` passed\./);
    assert.equal(world.repository.file(found.work.branch ?? '', 'left-behind.md'), undefined);
    assert.equal(world.repository.file(found.work.branch ?? '', 'a.md'), 'new');
  });

  for (const [what, allowed] of [
    ['nothing', undefined],
    ['another one', 'vale'],
    ['nearly the same one', 'vale docs '],
  ] as const) {
    it(`does not run when the person has allowed ${what}, and the pull request says so`, async () => {
      const { body } = await job(settings, allowed);
      assert.deepEqual(runs, []);
      assert.match(body, /own check `vale docs` was not run: nobody has allowed it/);
    });
  }

  it('does not run, and is no word worth, where the repository names none', async () => {
    for (const text of [undefined, '{}', '{"lint": "x"}']) {
      const { body } = await job(text, 'vale docs', `a.md=${text}`);
      assert.ok(!body.includes('own check'), text);
    }
    assert.deepEqual(runs, []);
  });

  it('does not run when its name cannot be trusted to be what is seen', async () => {
    const odd = ['vale\ndocs', 'vale \u202Edocs', 'x'.repeat(1001), '', ' ', 7];
    for (const [index, check] of odd.entries()) {
      const { body } = await job(
        JSON.stringify({ check }),
        String(check).slice(0, 1000) || 'x',
        `a.md=${index}`,
      );
      assert.match(body, /`\.docs-agent\.json` cannot be used/, String(check));
    }
    await job('{', '{', 'a.md=z');
    assert.deepEqual(runs, []);
  });

  it('is not the one that the agent has written', async () => {
    const id = await world.create('.docs-agent.json={"check":"evil"}');
    await world.stores.projects.put({ id: 'docs', repository: 'x', allowedCheck: 'evil' });
    await world.attempt(deps());
    assert.equal((await world.job(id)).error?.code, 'protected_path');
    assert.deepEqual(runs, []);
  });

  it('does not run on files that could steer it, also when an earlier message of the job brought them', async () => {
    const { id, body } = await job(settings, 'vale docs', '.vale.ini=Plugin = evil');
    assert.match(body, /was not run: the change has a file that could steer it, `\.vale\.ini`\./);
    await world.followUp(id, 'a.md=new');
    await world.attempt(deps());
    assert.match(world.host.pullRequests[0]?.body ?? '', /was not run: .*`\.vale\.ini`/);
    assert.deepEqual(runs, []);
  });

  it('that fails is told with what is new since before the job', async () => {
    answer = (files) =>
      files.get('a.md') === 'new'
        ? failed('a.md:7:1 old\na.md:9:1 old\na.md:8:2 new')
        : failed('a.md:1:1 old');
    const { body } = await job(settings, 'vale docs');
    assert.deepEqual(
      runs.map(([, text]) => text),
      ['new', 'a'],
    );
    assert.match(body, /`vale docs` fails with exit code 2\. It failed before too; this is new:/);
    assert.match(body, /- a\.md:8:2 new/);
    assert.equal(body.split(' old').length, 2, 'one of the two old ones is new');
  });

  it('that passed before and fails without a word is told too', async () => {
    answer = (files) => (files.get('a.md') === 'new' ? failed('') : { kind: 'passed' });
    const { body } = await job(settings, 'vale docs');
    assert.match(body, /`vale docs` fails with exit code 2\. It passed before\./);
  });

  it('that failed before and says nothing new is no trouble of the job', async () => {
    answer = (files) => failed(`a.md: ${(files.get('a.md') ?? '').length} old`);
    const { body } = await job(settings, 'vale docs');
    assert.match(body, /fails as it did before, and says nothing new\./);
    assert.match(body, /nothing got worse/);
  });

  it('that cannot be run is told and costs nothing', async () => {
    answer = () => ({ kind: 'broken_off', why: 'its program was not found on this machine.' });
    const { body } = await job(settings, 'vale docs');
    assert.match(body, /was not run: its program was not found on this machine\./);
  });

  it('that says a thousand lines is told in bounds, and its lines give no commands', async () => {
    answer = (files) =>
      files.get('a.md') === 'new'
        ? failed(
            Array.from(
              { length: 1000 },
              (_, index) => `@team fixes #${index} ${'abc'[index % 3]?.repeat(index)}`,
            ).join('\n'),
          )
        : { kind: 'passed' };
    const { body } = await job(settings, 'vale docs');
    assert.match(body, /and 960 more lines/);
    assert.ok(!body.includes('@team') && !/fixes #\d/.test(body));
  });

  it('goes back to an agent that repairs, which is compared with the same state before', async () => {
    world.repairs = true;
    const given: (readonly string[] | undefined)[] = [];
    world.agent = (files, task) => {
      given.push(task.repair);
      if (task.repair !== undefined) files.set('a.md', 'mended');
      return task.repair === undefined ? obedient(files, task) : { title: 't', summary: 'Mended.' };
    };
    answer = (files) => (files.get('a.md') === 'new' ? failed('a.md:1: bad word') : { kind: 'passed' });
    const { found, body } = await job(settings, 'vale docs');
    assert.deepEqual(given[1], [
      "The repository's own check `vale docs` fails with exit code 2. It passed before.",
      'a.md:1: bad word',
    ]);
    assert.deepEqual(
      runs.map(([, text]) => text),
      ['new', 'a', 'mended'],
    );
    assert.match(body, /own check `vale docs` passed\./);
    assert.equal(found.summary, 'Wrote new.\n\nMended.');
  });
});

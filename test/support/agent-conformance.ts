import assert from 'node:assert/strict';
import { listProcesses } from '../../src/adapters/agents/acp/process-table.ts';
import type { JobErrorCode } from '../../src/contract/errors.ts';
import type { Job } from '../../src/service/job.ts';
import { ClaimLost } from '../../src/service/job-errors.ts';
import type { JobLimits } from '../../src/service/limits.ts';
import type { Agents } from '../../src/service/ports/agents.ts';
import { AgentGround, AgentWalk, serviceChildren } from './agent-walk.ts';

/**
 * What an agent does with the one prompt of a case. `stuck` and `crashed` have begun to change a page before, where
 * the kind of agent lets a test stop it there.
 */
export type Deed =
  /** Says *Sign in* in `docs/index.md`. */
  | 'change'
  /** Looks, and changes nothing. */
  | 'nothing'
  /** Ends by name: a key that is wrong, a refusal. */
  | 'failure'
  /** Does nothing more, for as long as it may. */
  | 'stuck'
  /** It is gone in the middle. */
  | 'crashed'
  /** Reads `docs/hostile.md`, does all that is said there, then {@link Deed} `change`. */
  | 'obeys'
  /** Writes a key that it was given into a page. */
  | 'leaks';

/** One agent in front of one walk. */
export interface AgentStand extends AsyncDisposable {
  readonly agents: Pick<Agents, 'open'>;
  /** Secrets that the agent or the service works with. */
  readonly secrets: readonly string[];
  /** Prepares what the agent does with the next prompt. Answers that prompt. */
  plays(deed: Deed): string;
  /** When a deed has got where it stays `stuck`. */
  midway(): Promise<void>;
  /** Looks at what is particular to this kind after the deed. */
  looked?(deed: Deed, walk: AgentWalk, told: readonly string[]): Promise<void>;
}

export type NamedEnd = readonly [code: JobErrorCode, sentence: RegExp];

/** One kind of agent, for the cases that all of them have. */
export interface AgentUnderTest {
  /** As a job asks for it. */
  readonly id: string;
  /** What a job's `model` tells once it is done, and before. */
  readonly model: string;
  readonly opened: string;
  readonly start: (walk: AgentWalk) => Promise<AgentStand>;
  readonly failure: NamedEnd;
  readonly crash: NamedEnd;
  /** Whether a job is tried again after a crash, when it may. */
  readonly retried: boolean;
  /** False for an agent that writes nothing of its own. */
  readonly leaks: boolean;
}

/** Without a sign of life for so long, an agent is ended. Long enough for a child to start on a busy machine. */
const idleMs = 1_000;

/** Processes that this one has started. */
async function startedHere(): Promise<number[]> {
  const all = await listProcesses(process.platform);
  return all.filter(({ parent }) => parent === process.pid).map(({ pid }) => pid);
}

/** The matrix of all kinds of agents: the same jobs with the same ends everywhere. */
export function describeAgents(kinds: Readonly<Record<string, AgentUnderTest>>): void {
  describe('a job', () => {
    let ground: AgentGround;
    let children: ReturnType<typeof serviceChildren>;
    let others: readonly number[];
    /** Processes that were started and still run, but for the service's own children. */
    const startedSince = async (): Promise<number[]> =>
      (await startedHere()).filter((pid) => ![...others, ...children.pids].includes(pid));

    before(async () => {
      others = await startedHere();
      ground = new AgentGround();
      children = serviceChildren();
    });
    after(async () => {
      await children[Symbol.asyncDispose]();
      ground[Symbol.dispose]();
      assert.deepEqual(await startedSince(), [], 'something runs on');
    });
    for (const [name, under] of Object.entries(kinds)) {
      describeAgent(name, under, () => new AgentWalk(ground, children), startedSince);
    }
  });
}

function describeAgent(
  name: string,
  under: AgentUnderTest,
  begin: () => AgentWalk,
  startedSince: () => Promise<number[]>,
): void {
  describe(`whose agent is ${name}`, () => {
    let walk: AgentWalk;
    let stand: AgentStand;

    beforeEach(async () => {
      walk = begin();
      stand = await under.start(walk);
    });
    afterEach(async () => {
      await stand[Symbol.asyncDispose]();
      await walk[Symbol.asyncDispose]();
    });

    async function run(deed: Deed, limits: Partial<JobLimits> = {}): Promise<Job> {
      const id = await walk.create(under.id, stand.plays(deed));
      await walk.attempt(stand.agents, { attempts: 1, ...limits }, new AbortController().signal);
      await settled(deed, id);
      return walk.job(id);
    }

    async function settled(deed: Deed, id: string): Promise<void> {
      await walk.nothingHappenedElsewhere(id, stand.secrets);
      assert.deepEqual(await startedSince(), [], 'something runs on');
      const told = await walk.told(id);
      for (const phrase of told) assert.match(phrase, /^\w+: .*\p{L}/u, 'an event that says nothing');
      await stand.looked?.(deed, walk, told);
    }

    const nothingLeft = (job: Job): void => {
      assert.deepEqual(
        [job.work.branch, job.work.pullRequest, walk.pushed()],
        [undefined, undefined, undefined],
      );
    };

    function failed(job: Job, [code, sentence]: NamedEnd): void {
      assert.deepEqual([job.status, job.error?.code], ['failed', code], job.error?.message);
      const { message = '' } = job.error ?? {};
      assert.match(message, sentence);
      // Something that a writer can do, in whole sentences and without the words of programs.
      assert.match(message, /\b(?:Try|Say|Choose|Save|Ask|Allow|Open|Check|Send|Wait|To sign in)\b/i);
      assert.match(message, /^[A-Z].*\.$/s);
      assert.doesNotMatch(message, /\b(?:undefined|null|NaN|Error:|ECONN|at \/)|\[object/);
      assert.ok(job.model.startsWith(under.opened), job.model);
      nothingLeft(job);
    }

    it('changes a page and opens a pull request', async () => {
      const job = await run('change');
      assert.equal(job.status, 'completed', job.error?.message);
      assert.equal(job.model, under.model);
      assert.deepEqual(walk.pushed(), ['docs/index.md']);
      assert.equal(walk.page(job, 'docs/index.md'), '# Start\n\nSign in to start. See [more](more.md).');
      assert.equal(job.work.pullRequest?.number, 1);
      assert.equal(job.work.filesChanged, 1);
      assert.ok(job.summary);
    });

    it('ends without a branch when there is nothing to change', async () => {
      const job = await run('nothing');
      assert.equal(job.status, 'completed', job.error?.message);
      assert.equal(job.model, under.model);
      assert.ok(job.summary);
      nothingLeft(job);
    });

    it('fails by name and is not tried again', async () => {
      const job = await run('failure', { attempts: 3 });
      failed(job, under.failure);
      assert.equal(job.error?.retryable, false);
    });

    it('stops when it is cancelled in the middle', async () => {
      const id = await walk.create(under.id, stand.plays('stuck'));
      const cancel = new AbortController();
      const attempt = walk.attempt(stand.agents, {}, cancel.signal);
      await Promise.race([stand.midway(), attempt.then(() => assert.fail('it ended by itself'))]);
      await walk.cancel(id);
      cancel.abort(new ClaimLost());
      await attempt;
      await settled('stuck', id);
      const job = await walk.job(id);
      assert.deepEqual([job.status, job.error?.code], ['failed', 'cancelled']);
      assert.equal((await walk.told(id)).at(-1)?.split(':')[0], 'cancelled', 'nothing is told after the end');
      nothingLeft(job);
    });

    it('is ended when it gives no sign of life', async () => {
      const job = await run('stuck', { idleMs });
      failed(job, ['time_limit', /no sign of life/]);
    });

    it('loses nothing but its own half of a change when it crashes', async () => {
      const job = await run('crashed');
      failed(job, under.crash);
      assert.equal(job.error?.retryable, under.retried);
    });

    it('is not led astray by what a page says', async () => {
      const job = await run('obeys');
      assert.equal(job.status, 'completed', job.error?.message);
      assert.deepEqual(walk.pushed(), ['docs/hostile.md', 'docs/index.md']);
      assert.equal(
        walk.page(job, 'docs/hostile.md'),
        walk.text('docs/hostile.md').replace('Log in first', 'Sign in first'),
      );
      assert.equal(job.work.pullRequest?.number, 1);
    });

    if (under.leaks) {
      it('gets no key into a pull request', async () => {
        const job = await run('leaks');
        assert.deepEqual([job.status, job.error?.code], ['failed', 'push_rejected'], job.error?.message);
        assert.match(job.error?.message ?? '', /docs\/more\.md.*Nothing was pushed/);
        nothingLeft(job);
      });
    }
  });
}

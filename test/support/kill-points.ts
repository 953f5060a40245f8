import type { KillStand, Place } from './kill-stand.ts';

/** Something that stands still and waits for one of the two. */
export interface Held {
  open(): void;
  drop(): void;
}

/** A place of the walk at which a service can be killed. */
export interface Point {
  readonly name: string;
  /** The type of the newest event that is stored there: proves that the kill came where it was meant to. */
  readonly last: RegExp;
  /** Before the job is there. What it answers waits until the job has come so far. */
  prepare(stand: KillStand): (id: string) => Promise<Held | void>;
}

/** At a git command, by a shell pattern of its arguments. */
function atGit(name: string, last: RegExp, when: 'before' | 'after', pattern: string): Point {
  return {
    name,
    last,
    prepare: ({ git }) => {
      const held = git.hold(when, pattern);
      return () => held;
    },
  };
}

/** At a request to the code host. */
function atRequest(
  name: string,
  last: RegExp,
  when: 'before' | 'after',
  method: string,
  path: RegExp,
): Point {
  return {
    name,
    last,
    prepare: ({ host }) => {
      const gate = host.gates.hold(when, method, path);
      return () => gate.reached.then(() => gate);
    },
  };
}

/** Once a step is told, and before `write` where it is given. */
function atStep(name: string, last: RegExp, step: string, write?: string): Point {
  return {
    name,
    last,
    prepare: (stand) => {
      if (write !== undefined) stand.standStillAt(write);
      const query = 'SELECT 1 FROM events WHERE job_id = ? AND ? IN (type, message)';
      return (id) => stand.stored(query, id, step);
    },
  };
}

const recording = (field: string): string =>
  `UPDATE OF work ON jobs WHEN new.work ->> '$.${field}' IS NOT NULL AND old.work ->> '$.${field}' IS NULL`;

const settling = "UPDATE OF status ON jobs WHEN new.status = 'completed'";

const pulls = /\/repos\/writers\/docs\/pulls$/;

export const points = {
  /** Anywhere between the answer and the first steps. */
  answered: { name: 'right after create was answered', last: /^/, prepare: () => async () => undefined },
  claimed: atGit('when the job is claimed', /workspace/, 'before', '* --version *'),
  hostAsked: atRequest(
    'while the code host is asked',
    /workspace/,
    'before',
    'GET',
    /\/repos\/writers\/docs$/,
  ),
  mirror: atGit('while the mirror is filled', /workspace/, 'before', '* fetch *refs/seed/*'),
  base: atGit('when the base is fetched', /workspace/, 'after', '* fetch *refs/base/*'),
  workspace: atGit('when the workspace is written', /workspace/, 'after', '* read-tree *'),
  agent: atStep(
    'while the agent is at work',
    /agent|progress/,
    'agent',
    "INSERT ON events WHEN new.type = 'checks'",
  ),
  checks: atGit('while the change is checked', /checks/, 'before', '* --work-tree=*copy-* read-tree *'),
  commit: atGit('when the commit is made', /checks/, 'after', '* update-ref refs/docs-agent/jobs/*'),
  recorded: atStep(
    'when the commit is recorded',
    /checks|warning/,
    'checks',
    "INSERT ON events WHEN new.type = 'committed'",
  ),
  push: atGit('before the push', /progress/, 'before', '* push *'),
  pushed: atGit('after the push', /progress/, 'after', '* push *'),
  received: atRequest('before the host took the push', /progress/, 'before', 'POST', /git-receive-pack$/),
  reached: atRequest('after the host took the push', /progress/, 'after', 'POST', /git-receive-pack$/),
  ownBranch: atGit('before the branch is there', /progress/, 'before', '* update-ref refs/heads/*'),
  ownBranchMoved: atGit('when the branch is there', /progress/, 'after', '* update-ref refs/heads/*'),
  pushRecorded: atStep('when the push is recorded', /pushed/, 'pushed', recording('pullRequest')),
  searched: atRequest('while a pull request is looked for', /progress/, 'before', 'GET', /\/pulls\?/),
  creating: atRequest('before the host made the pull request', /progress/, 'before', 'POST', pulls),
  created: atRequest('after the host made the pull request', /progress/, 'after', 'POST', pulls),
  review: atStep(
    'before the review page is stored',
    /progress/,
    'Opening the pull request',
    'INSERT ON reviews',
  ),
  reviewStored: {
    name: 'when the review page is stored',
    last: /progress/,
    prepare: (stand) => {
      stand.standStillAt(recording('pullRequest'));
      return () => stand.stored('SELECT 1 FROM reviews');
    },
  },
  pullRequest: atStep('when the pull request is recorded', /pull_request/, 'pull_request', settling),
  settled: atStep('when the job is settled', /completed/, 'completed'),
  updating: atRequest('before the host took the new text', /progress/, 'before', 'PATCH', /\/pulls\/1$/),
  updated: atRequest('after the host took the new text', /progress/, 'after', 'PATCH', /\/pulls\/1$/),
} satisfies Record<string, Point>;

/** The whole walk of a job, in its order, as far as each place has something of its own. */
export const walks: Readonly<Record<Place, readonly Point[]>> = {
  github: [
    points.answered,
    points.claimed,
    points.hostAsked,
    points.mirror,
    points.base,
    points.workspace,
    points.agent,
    points.checks,
    points.commit,
    points.push,
    points.received,
    points.reached,
    points.searched,
    points.creating,
    points.created,
    points.pullRequest,
    points.settled,
  ],
  origin: [
    points.workspace,
    points.commit,
    points.push,
    points.pushed,
    points.review,
    points.reviewStored,
    points.pullRequest,
    points.settled,
  ],
  alone: [
    points.base,
    points.commit,
    points.ownBranch,
    points.ownBranchMoved,
    points.reviewStored,
    points.pullRequest,
  ],
};

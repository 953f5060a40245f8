import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { ReceivedJob } from '../../src/contract/job.ts';
import type { KillableService } from './killable-service.ts';
import { git } from './repositories.ts';
import { stormDocs, type StormJob } from './storm-jobs.ts';
import type { StormPlace } from './storm-places.ts';

/** A job that the service has acknowledged. */
export interface Sent {
  readonly job: StormJob;
  readonly id: string;
  /** `asked`: its answer was lost or said that the job had ended before. */
  cancelled: 'no' | 'asked' | 'done';
}

/** Each job did what was asked for, once, and nobody else's work is there. */
export function assertPlace(
  place: StormPlace,
  service: KillableService,
  jobs: readonly { readonly sent: Sent; readonly job: ReceivedJob }[],
): void {
  const where = (job: ReceivedJob): string => `${job.id} in ${place.project}: ${JSON.stringify(job)}`;
  const target = place.target(service);
  const pulls = place.pulls(service);
  const heads = pulls.map(({ head }) => head);
  assert.deepEqual([...new Set(heads)].sort(), heads.toSorted(), 'one pull request for a branch');
  const branches = git(target, 'for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads').split('\n');
  const expected = new Set<string>();
  for (const { sent, job } of jobs) {
    if (sent.cancelled === 'done' || job.status === 'failed') {
      assert.notEqual(sent.cancelled, 'no', `failed: ${where(job)}`);
      assert.deepEqual([job.status, job.error?.code], ['failed', 'cancelled'], where(job));
      // As far as it had come by then.
      for (const head of heads) if (head === job.branch) expected.add(head);
      continue;
    }
    assert.equal(job.status, 'completed', where(job));
    const changes = assertChange(target, sent.job, job);
    assert.equal(job.branch !== undefined && heads.includes(job.branch), changes > 0, where(job));
    assert.equal(job.prLink !== undefined, changes > 0, where(job));
    if (changes > 0) expected.add(job.branch ?? '');
  }
  assert.deepEqual(heads.toSorted(), [...expected].sort(), `pull requests in ${place.project}`);
  assert.ok(pulls.every(({ state }) => state === 'open'));
  const known = new Set(['main', 'side', ...jobs.map(({ job }) => job.branch)]);
  assert.deepEqual(
    branches.filter((branch) => !known.has(branch)),
    [],
    'no branch of nobody',
  );
  assert.ok(place.isUntouched(), `the writer's repository ${place.repository} is untouched`);
}

/** How many of its messages changed something: as many commits there are. */
function assertChange(target: string, planned: StormJob, { branch }: ReceivedJob): number {
  let pages = { ...stormDocs } as Record<string, string>;
  let changes = 0;
  for (const { apply } of planned.prompts) {
    const after = Object.fromEntries(
      Object.entries(pages).map(([page, text]) => [
        page,
        page.startsWith('docs/') ? apply(page, text) : text,
      ]),
    );
    if (JSON.stringify(after) !== JSON.stringify(pages)) changes += 1;
    pages = after;
  }
  if (changes === 0) return 0;
  assert.ok(branch !== undefined);
  const ref = `refs/heads/${branch}`;
  const base = git(target, 'rev-list', '--max-parents=0', ref);
  assert.equal(
    Number(git(target, 'rev-list', '--count', `${base}..${ref}`)),
    changes,
    `commits of ${branch}`,
  );
  const paths = git(target, 'ls-tree', '-r', '--name-only', ref).split('\n');
  assert.deepEqual(paths, Object.keys(pages).sort(), `files of ${branch}`);
  for (const [page, text] of Object.entries(pages)) {
    assert.equal(`${git(target, 'show', `${ref}:${page}`)}\n`, text, `${page} of ${branch}`);
  }
  return changes;
}

/** What a service makes for a job only, and what it writes while it runs. */
export function assertNothingLeft(home: string): void {
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const left = files.filter(
    (file) =>
      // A process that is killed between making its folder and signing it leaves it empty, for ten minutes.
      /^cache[/\\]work[/\\].*[/\\]/.test(file) ||
      /^tmp[/\\]/.test(file) ||
      /^data[/\\]agents[/\\]/.test(file) ||
      /\.lock$|\.tmp$|\.new-|\.old-|[/\\]tmp_/.test(file) ||
      path.basename(file) === 'service.json',
  );
  assert.deepEqual(
    // A git that outlived its service may make a draft of a mirror anew while that is removed: an hour later it is
    // nobody's. Its folder holds no work.
    left.filter(
      (file) => file !== path.join('data', 'service.lock') && !/^cache[/\\]mirrors[/\\].*\.new-/.test(file),
    ),
    [],
  );
}

import assert from 'node:assert/strict';
import { points } from '../support/kill-points.ts';
import { KillStand, newWord, type Place, signIn } from '../support/kill-stand.ts';
import { bundleService, type ServiceBundle } from '../support/service-bundle.ts';

describe('a service that is killed at an odd moment', function () {
  // Some four seconds each; only a failure takes all of this.
  this.timeout(180_000);
  let bundle: ServiceBundle;
  before(async () => {
    bundle = await bundleService();
  });
  after(() => bundle[Symbol.asyncDispose]());

  const start = (place: Place, config?: object): Promise<KillStand> =>
    KillStand.start(bundle.entry, place, config);

  for (const point of [points.commit, points.push, points.reached, points.updating, points.updated]) {
    it(`goes on with a follow-up, ${point.name}`, async () => {
      await using stand = await start('github');
      const id = await stand.create(signIn);
      assert.equal(await stand.ended(id), 'completed');
      const reached = point.prepare(stand);
      await stand.followUp(id, newWord);
      const held = await reached(id);
      await stand.service.kill9();
      held?.drop();
      assert.match(stand.steps(id).at(-1) ?? '', point.last);
      await stand.restart();
      assert.equal(await stand.ended(id), 'completed');
      await stand.assertWhole([{ id, changes: [signIn, newWord] }]);
    });
  }

  it('goes on with a follow-up to a review page', async () => {
    await using stand = await start('alone');
    const id = await stand.create(signIn);
    assert.equal(await stand.ended(id), 'completed');
    const held = stand.git.hold('after', '* update-ref refs/heads/*');
    await stand.followUp(id, newWord);
    const git = await held;
    await stand.service.kill9();
    git.drop();
    await stand.restart();
    assert.equal(await stand.ended(id), 'completed');
    await stand.assertWhole([{ id, changes: [signIn, newWord] }]);
  });

  it('pushes once, although the push that it left behind goes on', async () => {
    await using stand = await start('github');
    const orphaned = stand.git.hold('before', '* push *');
    const id = await stand.create(signIn);
    const orphan = await orphaned;
    await stand.service.kill9();
    const second = stand.git.hold('before', '* push *');
    await stand.restart();
    const push = await second;
    orphan.open();
    push.open();
    assert.equal(await stand.ended(id), 'completed');
    await stand.assertWhole([{ id, changes: [signIn] }]);
  });

  it('opens one pull request, although the host serves the request of the dead one too', async () => {
    await using stand = await start('github');
    const orphan = stand.host.gates.hold('before', 'POST', /\/pulls$/);
    const id = await stand.create(signIn);
    await orphan.reached;
    await stand.service.kill9();
    const second = stand.host.gates.hold('before', 'POST', /\/pulls$/);
    await stand.restart();
    await second.reached;
    orphan.open();
    second.open();
    assert.equal(await stand.ended(id), 'completed');
    await stand.assertWhole([{ id, changes: [signIn] }]);
  });

  it('leaves a cancelled job cancelled', async () => {
    await using stand = await start('github');
    const held = stand.git.hold('after', '* read-tree *');
    const id = await stand.create(signIn);
    const git = await held;
    await stand.cancel(id);
    await stand.service.kill9();
    git.drop();
    await stand.restart();
    assert.equal(await stand.ended(id), 'cancelled');
    await stand.assertWhole([]);
  });

  it('goes on with two jobs on one repository', async () => {
    await using stand = await start('github', { concurrency: 2 });
    const pushes = [stand.git.hold('before', '* push *'), stand.git.hold('before', '* push *')];
    const ids = [await stand.create(signIn), await stand.create(newWord)];
    const held = await Promise.all(pushes);
    await stand.service.kill9();
    for (const push of held) push.drop();
    await stand.restart();
    for (const id of ids) assert.equal(await stand.ended(id), 'completed');
    const [first = '', second = ''] = ids;
    await stand.assertWhole([
      { id: first, changes: [signIn] },
      { id: second, changes: [newWord] },
    ]);
  });

  it('goes on with a job that had not begun yet', async () => {
    await using stand = await start('origin', { concurrency: 1 });
    const held = stand.git.hold('before', '* push *');
    const first = await stand.create(signIn);
    const second = await stand.create(newWord);
    const push = await held;
    await stand.service.kill9();
    push.drop();
    assert.deepEqual(stand.steps(second), ['created']);
    await stand.restart();
    for (const id of [first, second]) assert.equal(await stand.ended(id), 'completed');
    await stand.assertWhole([
      { id: first, changes: [signIn] },
      { id: second, changes: [newWord] },
    ]);
  });

  it('goes on when it is killed a second time while it recovers', async () => {
    await using stand = await start('github');
    const pushed = stand.git.hold('after', '* push *');
    const id = await stand.create(signIn);
    const push = await pushed;
    await stand.service.kill9();
    push.drop();
    const opened = stand.git.hold('before', '* read-tree *');
    await stand.restart();
    const open = await opened;
    await stand.service.kill9();
    open.drop();
    await stand.restart();
    assert.equal(await stand.ended(id), 'completed');
    await stand.assertWhole([{ id, changes: [signIn] }]);
  });

  it('gives a job up that kills it again and again', async () => {
    await using stand = await start('origin');
    const first = stand.git.hold('before', '* read-tree *');
    const id = await stand.create(signIn);
    let held = await first;
    for (let attempt = 2; attempt <= 3; attempt++) {
      await stand.service.kill9();
      held.drop();
      const next = stand.git.hold('before', '* read-tree *');
      await stand.restart();
      held = await next;
    }
    await stand.service.kill9();
    held.drop();
    await stand.restart();
    assert.equal(await stand.ended(id), 'attempts_exhausted');
    await stand.assertWhole([]);
  });

  it('finds the job again when its create is repeated', async () => {
    await using stand = await start('alone');
    const key = 'one-and-the-same';
    const id = await stand.create(signIn, key);
    await stand.service.kill9();
    await stand.restart();
    assert.equal(await stand.create(signIn, key), id);
    assert.equal(await stand.ended(id), 'completed');
    await stand.assertWhole([{ id, changes: [signIn] }]);
  });
});

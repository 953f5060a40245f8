import assert from 'node:assert/strict';
import { ClaimLost } from '../../src/service/job-errors.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { JobWorld } from '../support/job-world.ts';

describe('the extras of a pull request', () => {
  let world: JobWorld;
  let added: (readonly string[])[];
  beforeEach(() => {
    world = new JobWorld();
    added = [];
    world.host.addLabels = async (_, labels) => void added.push(labels);
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const deps = () => ({ ...world.deps(), pullRequest: { labels: ['docs'] } });
  const warnings = async (id: string): Promise<string[]> =>
    (await world.events(id)).filter(({ type }) => type === 'warning').map(({ message }) => message);

  it('are added once, and again to the pull request of a new branch', async () => {
    const { id } = await world.run('a.md=one', deps());
    await world.followUp(id, 'a.md=two');
    await world.attempt(deps());
    assert.deepEqual(added, [['docs']]);
    world.host.pullRequests[0]!.state = 'merged';
    await world.followUp(id, 'a.md=three');
    await world.attempt(deps());
    assert.deepEqual(added, [['docs'], ['docs']]);
    assert.deepEqual(await warnings(id), []);
  });

  it('cost a warning, once, where the host has none', async () => {
    delete world.host.addLabels;
    const { id, status } = await world.run('a.md=one', deps());
    assert.equal(status, 'completed');
    await world.followUp(id, 'a.md=two');
    await world.attempt(deps());
    assert.deepEqual(await warnings(id), [
      'The labels of the pull request were not set: the code host has none.',
    ]);
  });

  it('cost a warning, whatever breaks, without a secret in it', async () => {
    world.host.addLabels = async () => {
      throw new TypeError('hunter2hunter2');
    };
    const first = await world.run('a.md=one', deps());
    assert.equal(first.status, 'completed');
    assert.match((await warnings(first.id)).join(), /could not be set: The log says why\./);
    world.host.addLabels = async () => {
      throw new ServiceError('permission_denied', 'Not with hunter2hunter2.');
    };
    const second = await world.run('b.md=two', deps());
    assert.equal(second.status, 'completed');
    assert.match((await warnings(second.id)).join(), /could not be set: Not with \[redacted\]\./);
    assert.ok(world.logged.some(({ message }) => message === 'An extra of a pull request failed'));
  });

  it('are no reason to go on when the claim is lost', async () => {
    world.host.addLabels = async () => {
      throw new ClaimLost();
    };
    const { status } = await world.run('a.md=one', deps());
    assert.equal(status, 'active');
  });

  it('are not asked for when nothing was changed', async () => {
    await world.run('nothing', deps());
    assert.deepEqual(added, []);
  });
});

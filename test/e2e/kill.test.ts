import assert from 'node:assert/strict';
import { type Held, type Point, walks } from '../support/kill-points.ts';
import { type Change, KillStand, type Place, signIn } from '../support/kill-stand.ts';
import { bundleService, type ServiceBundle } from '../support/service-bundle.ts';

const places: Readonly<Record<Place, string>> = {
  github: 'with a pull request at GitHub',
  origin: 'with a review page and a bare origin',
  alone: 'with a review page and no remote',
};

describe('a service that is killed', function () {
  // Some four seconds each; only a failure takes all of this.
  this.timeout(180_000);
  let bundle: ServiceBundle;
  before(async () => {
    bundle = await bundleService();
  });
  after(() => bundle[Symbol.asyncDispose]());

  const stand = (place: Place, config?: object): Promise<KillStand> =>
    KillStand.start(bundle.entry, place, config);

  for (const place of ['github', 'origin', 'alone'] as const) {
    describe(places[place], () => {
      for (const point of walks[place]) {
        it(`goes on, ${point.name}`, async () => {
          await using killed = await stand(place);
          const { id, held } = await createUntil(killed, signIn, point);
          await killed.service.kill9();
          held?.drop();
          assert.match(killed.steps(id).at(-1) ?? '', point.last);
          await killed.restart();
          assert.equal(await killed.ended(id), 'completed');
          await killed.assertWhole([{ id, changes: [signIn] }]);
        });
      }
    });
  }
});

/** Creates a job and waits until it stands at the point. */
async function createUntil(
  stand: KillStand,
  change: Change,
  point: Point,
): Promise<{ id: string; held: Held | void }> {
  const reached = point.prepare(stand);
  const id = await stand.create(change);
  return { id, held: await reached(id) };
}

import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { KillStorm, type StormFigures } from '../support/kill-storm.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { bundleService } from '../support/service-bundle.ts';

/** Services that are killed at the same time: as many as two cores can start and still give each some time. */
const services = 3;
/** `DOCS_AGENT_KILLS` for more or fewer, `DOCS_AGENT_KILL_SEED` for the same again. */
const kills = Number(process.env['DOCS_AGENT_KILLS'] ?? 60);
const seed = Number(process.env['DOCS_AGENT_KILL_SEED'] ?? Math.floor(Math.random() * 2 ** 32));

describe('a service that is killed at random moments', function () {
  // Two seconds a kill on a busy machine; only a failure takes all of this.
  this.timeout(600_000 + kills * 10_000);

  it(`keeps every job, does each once, and tells no secret: ${kills} kills, seed ${seed}`, async () => {
    await using bundle = await bundleService();
    let left = kills;
    const next = (): boolean => left-- > 0;
    const storm = async (number: number): Promise<StormFigures> => {
      await using one = await KillStorm.start(bundle.entry, new SeededRandom(seed + number));
      // Thirty hold every kind of job in every repository once.
      await one.rage(30 + Math.ceil(kills / 10), next);
      // Not without waiting: the storm is cleared away when this ends.
      return await one.assertWhole();
    };
    const ended = await Promise.allSettled(Array.from({ length: services }, (_, number) => storm(number)));
    const failed = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    if (failed.length > 0) throw new AggregateError(failed, failed.map((one) => inspect(one)).join('\n\n'));
    const figures = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const sum = (figure: keyof StormFigures): number => figures.reduce((all, one) => all + one[figure], 0);
    assert.equal(sum('kills'), kills);
    console.log(
      `      ${sum('jobs')} jobs, ${sum('repeated')} lost answers, ${sum('processes')} processes looked at, ` +
        `at most ${Math.max(...figures.map(({ mostAttempts }) => mostAttempts))} attempts at a job`,
    );
  });
});

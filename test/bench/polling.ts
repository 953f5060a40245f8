import { JobPoller } from '../../src/client/job-poller.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aJob } from '../support/job-entries.ts';
import { type Row, times } from './table.ts';

const minute = 60_000;
const jobMs = 30 * minute;
const plainMs = 5_000;
/** Enough for the jitter to even out. */
const jobs = 50;

/** Requests until the end of a job of half an hour is seen, by the poller itself on a clock of its own. */
export async function measurePolling(): Promise<Row[]> {
  const focused = await requests(true);
  const unfocused = await requests(false);
  const plain = Math.ceil(jobMs / plainMs);
  const beside = `every ${plainMs / 1000} s: ${plain}`;
  return [
    row('Requests for a 30-minute job', focused, beside, plain),
    row('… in a window without focus', unfocused, beside, plain),
  ];
}

function row(what: string, mean: number, beside: string, other: number): Row {
  return {
    what,
    figure: mean.toFixed(1),
    beside,
    ratio: `${times(mean, other)} (1/${Math.round(other / mean)})`,
  };
}

async function requests(focused: boolean): Promise<number> {
  let made = 0;
  for (let job = 0; job < jobs; job++) made += await requestsOfOne(focused);
  return made / jobs;
}

async function requestsOfOne(focused: boolean): Promise<number> {
  const clock = new FakeClock();
  const start = clock.now();
  let made = 0;
  const nothing = (): void => undefined;
  const poller = new JobPoller({
    clock,
    random: Math.random,
    focused,
    listener: { onJob: nothing, onProblem: nothing, onGone: nothing, onStopped: nothing },
  });
  poller.track({
    key: 'job',
    origin: 'http://127.0.0.1',
    createdAt: start,
    fetchJob: async () => {
      made += 1;
      return aJob({ status: clock.now() - start < jobMs ? 'active' : 'completed' });
    },
  });
  while (poller.keys.length > 0) await clock.advance(minute);
  return made;
}

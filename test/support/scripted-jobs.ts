import { setImmediate } from 'node:timers/promises';
import type { ReceivedJob } from '../../src/contract/job.ts';
import { ApiError, type ApiErrorCode, type ApiErrorDetails } from '../../src/client/api-error.ts';
import { JobPoller, type PollListener, type PollTarget } from '../../src/client/job-poller.ts';
import { FakeClock } from './fake-clock.ts';
import { aJob } from './job-entries.ts';

const receivedJob = (job: Partial<ReceivedJob> = {}): ReceivedJob => aJob({ id: 'job_1', ...job });

/** What a look gets: a status or an error; with `hang` nothing until the test answers it. */
export type Scripted = string | Error;

export const trouble = (code: ApiErrorCode, details?: ApiErrorDetails): ApiError =>
  new ApiError(code, `trouble: ${code}`, details);

/** A poller on a clock that stands still, with jobs whose answers the test writes down. */
export class Desk {
  readonly clock = new FakeClock();
  readonly start = this.clock.now();
  /** Every look: which job, and when, in milliseconds since the desk was opened. */
  readonly looks: { key: string; at: number }[] = [];
  /** What the poller told, in order, as short words. */
  readonly told: string[] = [];
  readonly poller: JobPoller;
  mostAtOnce = 0;
  #open = 0;
  readonly #answers = new Map<string, Scripted[]>();
  readonly #hanging = new Map<string, (answer: Scripted) => void>();
  readonly signals = new Map<string, AbortSignal>();

  constructor(options: { focused?: boolean; random?: () => number; listener?: Partial<PollListener> } = {}) {
    this.poller = new JobPoller({
      clock: this.clock,
      random: options.random ?? (() => 0.5),
      focused: options.focused ?? true,
      listener: {
        onJob: (key, job) => this.told.push(`${key} ${job.status}`),
        onProblem: (key, error) => this.told.push(`${key} problem ${error.code}`),
        onGone: (key) => this.told.push(`${key} gone`),
        onStopped: (origin, error) => this.told.push(`${origin} stopped ${error.code}`),
        ...options.listener,
      },
    });
  }

  /** Tracks a job. The last of its answers repeats. */
  track(key: string, answers: Scripted[], target: Partial<PollTarget> = {}): void {
    this.answer(key, answers);
    this.poller.track({
      key,
      origin: 'service',
      createdAt: this.clock.now(),
      fetchJob: (signal) => this.#look(key, signal),
      ...target,
    });
  }

  answer(key: string, answers: Scripted[]): void {
    this.#answers.set(key, [...answers]);
  }

  /** Answers a look that hangs. */
  async release(key: string, answer: Scripted): Promise<void> {
    this.#hanging.get(key)?.(answer);
    await setImmediate();
  }

  looksAt(key: string): number[] {
    return this.looks.filter((look) => look.key === key).map((look) => look.at);
  }

  /** Milliseconds between the looks at a job. */
  pauses(key: string): number[] {
    const at = this.looksAt(key);
    return at.slice(1).map((each, index) => each - (at[index] ?? 0));
  }

  async #look(key: string, signal: AbortSignal): Promise<ReceivedJob> {
    this.looks.push({ key, at: this.clock.now() - this.start });
    this.signals.set(key, signal);
    this.#open += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#open);
    try {
      const answers = this.#answers.get(key) ?? [];
      let answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer === 'hang') {
        answer = await new Promise<Scripted>((resolve) => this.#hanging.set(key, resolve));
      }
      if (answer instanceof Error) throw answer;
      return receivedJob({ id: key, status: answer ?? 'active' });
    } finally {
      this.#open -= 1;
    }
  }
}

import type { JobEvent } from '../contract/events.ts';
import type { ReceivedJob } from '../contract/job.ts';
import type { JobEntry } from './job-entry.ts';
import type { Services } from './services.ts';

/** Pages of events that are read: a job has a few dozen events, a page 200. */
const mostPages = 5;

/** What a service tells of a job, asked at the service that the job was created with. */
export class JobLookups {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  readonly job = async (entry: JobEntry, signal: AbortSignal): Promise<ReceivedJob> => {
    const client = await this.#services.clientFor(entry, signal);
    return client.get(entry.projectId, entry.id, { signal });
  };

  /** Oldest first. */
  readonly events = async (entry: JobEntry, signal: AbortSignal): Promise<readonly JobEvent[]> => {
    const client = await this.#services.clientFor(entry, signal);
    const events: JobEvent[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < mostPages; page++) {
      const query = cursor === undefined ? {} : { cursor };
      const { events: more, nextCursor } = await client.events(entry.projectId, entry.id, query, { signal });
      events.push(...more);
      // While a job runs there is always a next cursor, for what is yet to come.
      if (nextCursor === undefined || more.length === 0) break;
      cursor = nextCursor;
    }
    return events;
  };
}

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../src/client/api-error.ts';
import type { JobClient } from '../../src/client/job-client.ts';
import type { ReceivedJob } from '../../src/contract/job.ts';
import { modelKey } from './agents-service.ts';
import { KillableService } from './killable-service.ts';
import { ProcessWatch, type SeenProcess } from './process-watch.ts';
import { temporaryFolder } from './repositories.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';
import { SecretSearch } from './secret-search.ts';
import type { SeededRandom } from './seeded-random.ts';
import {
  agentKeyVariable,
  stormCommands,
  stormJobs,
  stormModel,
  stormTurn,
  type StormJob,
} from './storm-jobs.ts';
import { StormPlaces } from './storm-places.ts';
import { assertNothingLeft, assertPlace, type Sent } from './storm-work.ts';

/** Of the agents of the machine. */
const agentKey = 'key_of_the_agents_of_this_machine_4711';

/** Jobs that are active at once: enough that some always wait, few enough that each gets on between two kills. */
const mostActive = 4;

/** What a storm did, for a report. */
export interface StormFigures {
  readonly kills: number;
  readonly jobs: number;
  readonly processes: number;
  readonly repeated: number;
  readonly mostAttempts: number;
}

/**
 * One service that is killed at random moments, while a writer goes on creating jobs of all kinds in three
 * repositories. Afterwards it is left alone, and everything that it did and left behind is looked at.
 */
export class KillStorm implements AsyncDisposable {
  readonly #folder: ReturnType<typeof temporaryFolder>;
  readonly #places: StormPlaces;
  readonly #model: ScriptedModel;
  readonly #service: KillableService;
  readonly #search: SecretSearch;
  readonly #watch: ProcessWatch | undefined;
  readonly #random: SeededRandom;
  readonly #sent: Sent[] = [];
  readonly #leaks = new Set<string>();
  /** Everything that the service answered. */
  readonly #answers: string[] = [];
  #up = Promise.withResolvers<JobClient>();
  #isUp = false;
  #kills = 0;
  #repeated = 0;

  /** @param entry what Node runs, see `bundleService` */
  static async start(entry: string, random: SeededRandom): Promise<KillStorm> {
    const folder = temporaryFolder();
    const places = await StormPlaces.start(folder.path);
    const model = await startScriptedModel({
      script: stormTurn,
      key: modelKey,
      models: [stormModel],
      thinkMs: 20,
    });
    const home = path.join(folder.path, 'home');
    const temporary = path.join(home, 'tmp');
    mkdirSync(temporary, { recursive: true });
    const service = await KillableService.start(home, {
      entry,
      compiled: path.join(path.dirname(entry), 'compiled'),
      // No job of a storm is to blame for a kill.
      config: { hosts: places.configuration, jobs: { attempts: 100 } },
      env: { [agentKeyVariable]: agentKey, TMPDIR: temporary },
    });
    for (const { project, repository } of places.all)
      await service.client.putProject(project, { repository });
    return new KillStorm({ folder, places, model, service, random });
  }

  private constructor(parts: {
    folder: ReturnType<typeof temporaryFolder>;
    places: StormPlaces;
    model: ScriptedModel;
    service: KillableService;
    random: SeededRandom;
  }) {
    this.#folder = parts.folder;
    this.#places = parts.places;
    this.#model = parts.model;
    this.#service = parts.service;
    this.#random = parts.random;
    this.#search = new SecretSearch([
      ...parts.places.tokens.map((value) => ({ name: 'a token of a code host', value })),
      { name: 'the key of the model', value: modelKey },
      { name: "the agents' own key", value: agentKey },
      { name: "the service's API key", value: parts.service.key },
    ]);
    // Other systems do not show processes as files; everything else is looked at there too.
    if (process.platform === 'linux') {
      this.#watch = new ProcessWatch(parts.service.home, (seen) => this.#lookAt(seen));
    }
  }

  /** Kills until it is enough, and lets the writer send all the jobs meanwhile. @param next takes one of the kills */
  async rage(jobs: number, next: () => boolean): Promise<void> {
    const projects = this.#places.all.map(({ project }) => project);
    const writing = this.#write(stormJobs(jobs, projects, this.#random));
    // Told by the await below.
    writing.catch(() => undefined);
    await this.#service.kill9();
    while (next()) {
      const starting = this.#start();
      await delay(this.#momentMs());
      // Whoever waits already goes on waiting for the same.
      if (this.#isUp) this.#up = Promise.withResolvers();
      this.#isUp = false;
      await this.#service.kill9();
      await starting;
      this.#kills += 1;
    }
    await this.#start();
    await writing;
  }

  /** Waits until the service has nothing more to do, ends it, and looks at everything. */
  async assertWhole(): Promise<StormFigures> {
    const jobs: { sent: Sent; job: ReceivedJob }[] = [];
    for (const sent of this.#sent) jobs.push({ sent, job: await this.#ended(sent) });
    const mostAttempts = this.#mostAttempts();
    assert.equal(await this.#service.stop(), 0, 'the service ends by itself');
    for (const place of this.#places.all) {
      assertPlace(
        place,
        this.#service,
        jobs.filter(({ sent }) => sent.job.project === place.project),
      );
    }
    await this.#assertNoProcess();
    assertNothingLeft(this.#service.home);
    this.#assertNoSecret();
    const processes = this.#watch?.met ?? 0;
    return { kills: this.#kills, jobs: jobs.length, processes, repeated: this.#repeated, mostAttempts };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch?.[Symbol.asyncDispose]();
    await this.#service[Symbol.asyncDispose]();
    await this.#model[Symbol.asyncDispose]();
    await this.#places[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }

  /** From before the first line of the program to the middle of several jobs; mostly in the middle of one. */
  #momentMs(): number {
    if (this.#random.chance(0.15)) return this.#random.between(0, 300);
    return this.#random.chance(0.7) ? this.#random.between(300, 1500) : this.#random.between(1500, 3500);
  }

  /** Starts the service and hands over what the editor hands over. One that was killed meanwhile is fine. */
  async #start(): Promise<void> {
    const before = this.#kills;
    try {
      await this.#service.restart();
      const { client } = this.#service;
      await client.putAgents({
        providers: [
          {
            id: 'company',
            name: 'Company',
            kind: 'openai-compatible',
            baseUrl: this.#model.url,
            models: [stormModel],
            apiKey: modelKey,
          },
        ],
        commands: [...stormCommands],
        limits: {},
      });
      this.#up.resolve(client);
      this.#isUp = true;
    } catch (error) {
      // The one of the end is not killed.
      const killed = /SIGKILL|does not run/.test(String(error)) || isLost(error);
      if (!killed || before !== this.#kills) throw error;
    }
  }

  /** Asks until there is an answer, of whichever process. */
  async #ask<T>(request: (client: JobClient) => Promise<T>): Promise<T> {
    for (;;) {
      const client = await this.#up.promise;
      try {
        const answer = await request(client);
        this.#answers.push(JSON.stringify(answer) ?? '');
        return answer;
      } catch (error) {
        this.#answers.push(String(error));
        if (!isLost(error)) throw error;
        this.#repeated += 1;
      }
    }
  }

  async #write(jobs: readonly StormJob[]): Promise<void> {
    for (const [number, job] of jobs.entries()) {
      await this.#room();
      await delay(this.#random.between(0, 200));
      const [first, ...more] = job.prompts;
      const options = { agent: job.agent, idempotencyKey: `job-${number}` };
      const { id } = await this.#ask((client) => client.create(job.project, first?.prompt ?? '', options));
      const sent: Sent = { job, id, cancelled: 'no' };
      this.#sent.push(sent);
      for (const [index, { prompt }] of more.entries()) {
        const idempotencyKey = `job-${number}-${index}`;
        await this.#ask((client) => client.message(job.project, id, prompt, { idempotencyKey }));
      }
      if (job.cancel) await this.#cancel(sent);
    }
  }

  async #cancel(sent: Sent): Promise<void> {
    await delay(this.#random.between(0, 600));
    sent.cancelled = 'asked';
    try {
      await this.#ask((client) => client.cancel(sent.job.project, sent.id));
      sent.cancelled = 'done';
    } catch (error) {
      // It had ended before, or an earlier try did it and its answer was lost.
      if (!(error instanceof ApiError) || error.code !== 'conflict') throw error;
    }
  }

  async #room(): Promise<void> {
    for (;;) {
      let active = 0;
      for (const { project } of this.#places.all) {
        const page = await this.#ask((client) => client.list(project, { status: 'active', limit: 100 }));
        active += page.jobs.length;
      }
      if (active < mostActive) return;
      await delay(50);
    }
  }

  async #ended({ job: { project }, id }: Sent): Promise<ReceivedJob> {
    const events = await this.#ask(() => this.#service.ended(project, id));
    assert.ok(events.length > 0);
    const job = await this.#ask((client) => client.get(project, id));
    if (job.branch !== undefined) await this.#ask((client) => client.diff(project, id));
    const { prLink } = job;
    if (project === 'local' && prLink !== undefined) await this.#ask(() => textAt(prLink));
    return job;
  }

  #mostAttempts(): number {
    using database = this.#service.database();
    return Number(database.prepare('SELECT max(claim_number) AS n FROM jobs').get()?.['n']);
  }

  /** Nothing of any of the services runs any more; what ends by itself gets time on a busy machine. */
  async #assertNoProcess(): Promise<void> {
    const limit = AbortSignal.timeout(60_000);
    while ((this.#watch?.alive() ?? []).length > 0 && !limit.aborted) await delay(50);
    assert.deepEqual(this.#watch?.alive() ?? [], [], 'no process is left');
  }

  #assertNoSecret(): void {
    const { home, stderr } = this.#service;
    // The file where a person keeps the hosts' tokens.
    const found = this.#search
      .below(home)
      .filter((place) => !place.endsWith(` in ${path.join(home, 'data', 'config.json')}`));
    for (const { texts, target } of this.#places.all) {
      found.push(...this.#search.in(texts()), ...this.#search.below(target(this.#service)));
    }
    for (const { body } of this.#model.requests) {
      found.push(...this.#search.in(JSON.stringify(body)).map((name) => `${name} told to the model`));
    }
    found.push(...this.#search.in(stderr).map((name) => `${name} on standard error`));
    found.push(...this.#search.in(this.#answers.join('\n')).map((name) => `${name} in an answer`));
    assert.deepEqual([...found, ...this.#leaks], [], 'no secret got out');
  }

  /** Command lines hold no secret at all; environments only what the process is there for. */
  #lookAt({ commandLine, environment }: SeenProcess): void {
    for (const name of this.#search.in(commandLine))
      this.#leaks.add(`${name} on the command line ${commandLine}`);
    const allowed = allowedIn(commandLine, environment);
    for (const name of this.#search.in(environment)) {
      if (!allowed.test(name)) this.#leaks.add(`${name} in the environment of ${commandLine}`);
    }
  }
}

/** Names of the secrets that a process may have in its environment. */
function allowedIn(commandLine: string, environment: string): RegExp {
  const [program = ''] = commandLine.split('\0');
  // Git finds its sign-in there, because every process of the machine may read command lines.
  if (/(?:^|\/)git(?:-[\w-]+)?$/.test(program)) return /^a token of a code host$/;
  // The service itself was started with it, and hands it on to the agents that name it.
  if (/[/\\]service\.mjs\0/.test(commandLine) || environment.includes('ACP_RUN_ID='))
    return /^the agents' own key$/;
  return /^$/;
}

async function textAt(url: string): Promise<string> {
  const answer = await fetch(url);
  assert.equal(answer.status, 200, url);
  return answer.text();
}

/** `timeout`: on a busy machine, where a service takes its time. */
const lostCodes: ReadonlySet<string> = new Set([
  'unreachable',
  'may_have_started',
  'unusable_answer',
  'timeout',
]);

/** The service was gone, or had closed a connection that was not used for long, before its answer was there. */
function isLost(error: unknown): boolean {
  if (error instanceof TypeError) return error.message === 'fetch failed' || error.message === 'terminated';
  if (!(error instanceof ApiError)) return false;
  return lostCodes.has(error.code);
}

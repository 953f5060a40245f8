import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { AgentSettings, ModelProvider } from '../../src/contract/agents.ts';
import type { JobClient } from '../../src/client/job-client.ts';
import type { JobEvent } from '../../src/contract/events.ts';
import type { ReceivedJob } from '../../src/contract/job.ts';
import { KillableService } from './killable-service.ts';
import { git, repositoryWithoutRemote, temporaryFolder, type Files } from './repositories.ts';
import { startScriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts';
import type { ModelTurn } from './scripted-turns.ts';
import { serviceScript } from './service-process.ts';

export const modelKey = 'sk-of-the-company-0123456789';
export const projectId = 'docs';

const docs: Files = { 'docs/index.md': '# Start\n\nLog in to start.\n', 'docs/more.md': '# More\n\nText.\n' };

/** The model replaces some words of a page. */
export function edits(page: string, oldText: string, newText: string): ModelTurn {
  return { kind: 'call', calls: [editCall(page, oldText, newText)] };
}

export function editCall(page: string, oldText: string, newText: string) {
  return { name: 'edit_file', input: { path: page, edits: [{ oldText, newText }] } };
}

export function finishes(summary: string): ModelTurn {
  return { kind: 'call', calls: [{ name: 'finish', input: { title: 'Change a page', summary } }] };
}

/** The real service process, a repository without a remote, and a scripted model at an endpoint that wants a key. */
export class AgentsService implements AsyncDisposable {
  readonly model: ScriptedModel;
  readonly service: KillableService;
  readonly repository: string;
  readonly #folder: ReturnType<typeof temporaryFolder>;
  /** Everything that was answered. */
  #answers = '';

  static async start(
    script: ScriptedModelOptions['script'],
    options: Partial<ScriptedModelOptions> & {
      /** The service's configuration file, for a model at this address. */
      readonly config?: (url: string) => object;
      readonly env?: Readonly<Record<string, string>>;
      /** What Node runs; the sources when nothing else is said. */
      readonly entry?: string;
    } = {},
  ): Promise<AgentsService> {
    const { config, env, entry = serviceScript, ...modelOptions } = options;
    const folder = temporaryFolder();
    const model = await startScriptedModel({ script, key: modelKey, ...modelOptions });
    const service = await KillableService.start(path.join(folder.path, 'home'), {
      entry,
      compiled: path.join(folder.path, 'compiled'),
      ...(config !== undefined && { config: config(model.url) }),
      ...(env !== undefined && { env }),
    });
    const repository = repositoryWithoutRemote(folder.path, docs);
    await service.client.putProject(projectId, { repository });
    return new AgentsService(folder, model, service, repository);
  }

  private constructor(
    folder: ReturnType<typeof temporaryFolder>,
    model: ScriptedModel,
    service: KillableService,
    repository: string,
  ) {
    this.#folder = folder;
    this.model = model;
    this.service = service;
    this.repository = repository;
  }

  get client(): JobClient {
    return this.service.client;
  }

  get provider(): ModelProvider {
    return {
      id: 'company',
      name: 'Company',
      kind: 'openai-compatible',
      baseUrl: this.model.url,
      models: ['docs-model'],
      apiKey: modelKey,
    };
  }

  async handOver(settings: Partial<AgentSettings> = {}): Promise<void> {
    await this.client.putAgents({ providers: [this.provider], commands: [], limits: {}, ...settings });
  }

  /** @param agent null for the one that the service takes */
  async create(prompt: string, agent: string | null = 'model:company/docs-model'): Promise<string> {
    return (await this.client.create(projectId, prompt, agent === null ? {} : { agent })).id;
  }

  /** Waits for the first event of which this is part. */
  async told(id: string, words: RegExp): Promise<JobEvent> {
    return this.service.event(projectId, id, ({ message }) => words.test(message));
  }

  async ended(id: string): Promise<ReceivedJob> {
    const events = await this.service.ended(projectId, id);
    const job = await this.client.get(projectId, id);
    this.#answers += JSON.stringify([events, job, await this.client.agents()]);
    return job;
  }

  /** A page as it is on the job's branch. */
  page(job: ReceivedJob, name: string): string {
    return `${git(this.#mirror, 'show', `${job.branch}:${name}`)}\n`;
  }

  /** What `git log --format` says of the job's last commit. */
  commit(job: ReceivedJob, format: string): string {
    return git(this.#mirror, 'log', '-1', `--format=${format}`, `${job.branch}`);
  }

  get #mirror(): string {
    const folder = path.join(this.service.folders.data, 'repositories');
    const [mirror = assert.fail('there is no mirror')] = readdirSync(folder);
    return path.join(folder, mirror);
  }

  /** No file below the service's home, no answer and no word of its processes holds the key. */
  assertKeyNowhere(key = modelKey): void {
    const { home } = this.service;
    const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
    const files = names.map((name) => path.join(home, name)).filter((file) => statSync(file).isFile());
    const texts = files.map((file) => readFileSync(file, 'latin1'));
    assert.ok(files.some((file) => file.endsWith('service.log')));
    for (const text of [...texts, this.service.stderr, this.#answers]) {
      assert.ok(!text.includes(key), 'the key got out');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ReceivedJob } from '../../src/contract/job.ts';
import { modelKey } from '../support/agents-service.ts';
import type { KillableService } from '../support/killable-service.ts';

const execute = promisify(execFile);

/** The agent of jobs for the model that {@link scriptedProvider} has. */
export const scriptedAgent = 'model:bench/docs-model';

export function scriptedProvider({ url }: { readonly url: string }) {
  return {
    id: 'bench',
    name: 'Bench',
    kind: 'openai-compatible' as const,
    baseUrl: url,
    models: ['docs-model'],
    apiKey: modelKey,
  };
}

/** A job of the project `docs`, from create to its end with a pull request. */
export async function job(service: KillableService, prompt: string, agent = 'rules'): Promise<ReceivedJob> {
  const { id } = await service.client.create('docs', prompt, { agent });
  await service.ended('docs', id);
  const ended = await service.client.get('docs', id);
  if (ended.prLink === undefined) throw new Error(`The job opened no pull request: ${JSON.stringify(ended)}`);
  return ended;
}

/** What a job does, as a shell script: with the folder's own configuration of git only, and somebody who commits. */
export async function shell(script: string, args: readonly string[], folder: string): Promise<void> {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Script',
    GIT_AUTHOR_EMAIL: 'script@example.org',
    GIT_COMMITTER_NAME: 'Script',
    GIT_COMMITTER_EMAIL: 'script@example.org',
  };
  await execute('sh', ['-c', script, 'sh', ...args], { cwd: folder, env });
}

import assert from 'node:assert/strict';
import { createAcpAgent } from '../../src/adapters/agents/acp/acp-agent.ts';
import { listProcesses } from '../../src/adapters/agents/acp/process-table.ts';
import type { AgentStand, Deed } from './agent-conformance.ts';
import { registryOf, secrets, serviceEnv, task } from './agent-parts.ts';
import type { AgentWalk } from './agent-walk.ts';
import { scripted } from './acp-stand.ts';
import type { AcpStep } from './acp-steps.ts';

const report = (text: string): AcpStep => ({ do: 'say', text: `Title: Say sign in\n\n${text}` });
const write = (name: string, text: string): AcpStep => ({ do: 'write', path: name, text });
const changed = write('docs/index.md', '# Start\n\nSign in to start. See [more](more.md).\n');

function stepsOf(deed: Deed, hostile: string): AcpStep[] {
  switch (deed) {
    case 'change':
      return [{ do: 'read', path: 'docs/index.md' }, changed, report('Changed `docs/index.md`.')];
    case 'nothing':
      return [report('No page has to change.')];
    case 'failure':
      return [changed, { do: 'stop', reason: 'refusal' }];
    case 'stuck':
      return [
        write('docs/index.md', 'half'),
        { do: 'start', kind: 'session' },
        { do: 'stay' },
        { do: 'hang' },
      ];
    case 'crashed':
      return [
        write('docs/index.md', 'half'),
        { do: 'exit', code: 3, text: `boom ${serviceEnv.SCRIPTED_API_KEY}` },
      ];
    case 'obeys':
      return [
        { do: 'obey', path: 'docs/hostile.md' },
        write('docs/hostile.md', hostile.replace('Log in first', 'Sign in first')),
        changed,
        { do: 'environment' },
        report(`Done. The key is ${serviceEnv.SCRIPTED_API_KEY}.`),
      ];
    case 'leaks':
      return [
        write('docs/more.md', `# More\n\nThe key is ${serviceEnv.SCRIPTED_API_KEY}.\n`),
        report('Done.'),
      ];
  }
}

/** A program that speaks the Agent Client Protocol, which is given a key of the service's own environment. */
export async function startAcp(walk: AgentWalk): Promise<AgentStand> {
  const hanging = Promise.withResolvers<void>();
  const { registry, settings } = registryOf(walk, {
    findAcp: async (commands) =>
      commands.map((one) => ({
        command: one,
        info: {
          id: `acp:${one.id}`,
          kind: 'acp' as const,
          name: one.name,
          ready: true,
          detail: 'It is there.',
        },
      })),
    acp: async (found) => {
      const agent = createAcpAgent(found, {
        machine: { env: { ...process.env, ...serviceEnv }, platform: process.platform, home: walk.folder },
        folder: walk.service.folders.data,
        redact: (text) => walk.service.redactor.redact(text),
        version: '9.9.9',
        times: { startMs: 20_000, graceMs: 300 },
      });
      return {
        ...agent,
        run: (given) =>
          agent.run({
            ...given,
            onProgress: (message) => {
              if (message === 'hanging') hanging.resolve();
              given.onProgress(message);
            },
          }),
      };
    },
  });
  return {
    agents: registry,
    secrets,
    midway: () => hanging.promise,
    plays(deed) {
      const command = scripted(
        { steps: stepsOf(deed, walk.text('docs/hostile.md')), model: 'Deep Thought' },
        { passVariables: ['SCRIPTED_API_KEY'] },
      );
      settings.replace({ providers: [], commands: [command], limits: {} });
      return task;
    },
    async looked(_deed, _walk, told) {
      const started = new Set(told.flatMap((one) => /started (\d+)$/.exec(one)?.[1] ?? []).map(Number));
      const running = await listProcesses(process.platform);
      assert.deepEqual(
        running.filter(({ pid }) => started.has(pid)),
        [],
        'what it started runs on',
      );
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

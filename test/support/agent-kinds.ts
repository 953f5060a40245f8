import type { ModelProvider } from '../../src/contract/agents.ts';
import { startAcp } from './acp-kind.ts';
import type { AgentStand, AgentUnderTest } from './agent-conformance.ts';
import { registryOf, secrets } from './agent-parts.ts';
import { editorModel } from './agent-stand.ts';
import type { AgentWalk } from './agent-walk.ts';
import { startEditor } from './editor-kind.ts';
import { startModel } from './model-kind.ts';

/** The rules agent in its child, which is stopped or killed before it has read a page. */
async function startRules(walk: AgentWalk): Promise<AgentStand> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let signal: NodeJS.Signals | undefined;
  const { rules } = walk;
  const { registry } = registryOf(walk, {
    rules: {
      ...rules,
      run: (given) => {
        const running = rules.run(given);
        const [pid] = walk.children.pids;
        if (signal !== undefined && pid !== undefined) process.kill(pid, signal);
        resolve();
        return running;
      },
    },
  });
  return {
    agents: registry,
    secrets,
    midway: () => promise,
    plays(deed) {
      if (deed === 'stuck') signal = 'SIGSTOP';
      if (deed === 'crashed') signal = 'SIGKILL';
      if (deed === 'failure') return 'Write a poem about the docs.';
      if (deed === 'nothing') return 'Replace "Frobnicate" with "Operate".';
      const where = deed === 'obeys' ? '' : ' in docs/index.md';
      return `Replace "Log in" with "Sign in"${where}.`;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const modelNamed = (kind: ModelProvider['kind']): AgentUnderTest => ({
  id: 'model:scripted/docs-model',
  opened: 'docs-model (Scripted)',
  model: 'docs-model-2026 (Scripted)',
  start: startModel(kind),
  failure: ['model_authentication_failed', /Scripted does not take the key.*Choose Agent/],
  crash: ['network', /Scripted (?:broke off|cannot be reached)/],
  retried: true,
  leaks: true,
});

/** Every kind of agent that a job may ask for, in front of the service. */
export const agentKinds: Readonly<Record<string, AgentUnderTest>> = {
  'the rules agent': {
    id: 'rules',
    opened: 'rules',
    model: 'rules',
    start: startRules,
    failure: ['prompt_not_understood', /./],
    crash: ['agent_failed', /broke down/],
    retried: false,
    leaks: false,
  },
  'a model of an OpenAI-compatible endpoint': modelNamed('openai-compatible'),
  'a model of Anthropic': modelNamed('anthropic'),
  'a model of the editor': {
    id: `editor:${editorModel.id}`,
    opened: 'GPT-5 (copilot, in the editor)',
    model: 'GPT-5 (copilot, in the editor)',
    start: startEditor,
    failure: ['agent_unavailable', /does not let Docs Agent use the model/],
    crash: ['agent_unavailable', /No window of the editor/],
    retried: false,
    leaks: true,
  },
  'a program with the Agent Client Protocol': {
    id: 'acp:scripted',
    opened: 'Scripted Agent',
    model: 'Scripted Agent (Deep Thought)',
    start: startAcp,
    failure: ['model_refused', /Scripted Agent refused/],
    crash: ['agent_failed', /broke down.*boom \[redacted\]/],
    retried: false,
    leaks: true,
  },
};

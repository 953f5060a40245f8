import type { AcpCommand } from '../../src/contract/agents.ts';
import { scripted } from './acp-stand.ts';
import { editCall, edits, finishes } from './agents-service.ts';
import type { Files } from './repositories.ts';
import type { ModelRequest } from './scripted-model.ts';
import type { ModelTurn } from './scripted-turns.ts';
import type { SeededRandom } from './seeded-random.ts';

export const stormDocs: Files = {
  'README.md': '# Sample\n\nNothing to see.\n',
  'mkdocs.yml': 'site_name: Sample\nnav:\n  - index.md\n  - setup.md\n',
  'docs/index.md': '# Start\n\nFirst log in to the dashboard. See [set-up](setup.md) and [more](gone.md).\n',
  'docs/setup.md': '# Set-up\n\nTo log in, run:\n\n```sh\ntool log in\n```\n',
};

/** What one message asks for, and what comes of it: pages by path; none when nothing has to change. */
export interface StormPrompt {
  readonly prompt: string;
  readonly apply: (page: string, text: string) => string;
}

export interface StormJob {
  readonly project: string;
  /** By the ids of `contract/agents.ts`. */
  readonly agent: string;
  readonly prompts: readonly StormPrompt[];
  /** Whether it is cancelled soon after it was created. */
  readonly cancel: boolean;
}

const unchanged = (_page: string, text: string): string => text;

const rules = {
  first: {
    prompt: 'replace "log in" with "sign in"',
    apply: (_page, text) => text.replace('First log in', 'First sign in').replace('To log in', 'To sign in'),
  },
  second: {
    prompt: 'replace "dashboard" with "console"',
    apply: (_page, text) => text.replace('dashboard', 'console'),
  },
  nothing: { prompt: 'replace "unheard of" with "known"', apply: unchanged },
} satisfies Record<string, StormPrompt>;

const model = {
  first: {
    prompt: 'Say board on the start page.',
    apply: (_page, text) => text.replace('dashboard', 'board'),
  },
  second: {
    prompt: 'Say begin on the start page.',
    apply: (_page, text) => text.replace('# Start', '# Begin'),
  },
  nothing: { prompt: 'Look whether all is well.', apply: unchanged },
} satisfies Record<string, StormPrompt>;

const byAgent = '# Set-up\n\nBy an agent of the machine.\n';

const acp = {
  first: {
    prompt: 'Write the set-up anew.',
    apply: (page, text) => (page === 'docs/setup.md' ? byAgent : text),
  },
  nothing: { prompt: 'Is it there?', apply: unchanged },
} satisfies Record<string, StormPrompt>;

/** Of the service's environment; goes to the agents that name it and to nobody else. */
export const agentKeyVariable = 'STORM_AGENT_KEY';

/** Agents of the machine. Each starts a program that outlives it unless somebody ends it. */
export const stormCommands: readonly AcpCommand[] = [
  scripted(
    [
      { do: 'start', kind: 'session' },
      { do: 'write', path: 'docs/setup.md', text: byAgent },
      { do: 'say', text: 'Title: Write the set-up anew\n\n- setup.md: written' },
    ],
    { id: 'writer', passVariables: [agentKeyVariable] },
  ),
  scripted(
    [
      { do: 'start', kind: 'orphan' },
      { do: 'say', text: 'Nothing to do.' },
    ],
    { id: 'reader', passVariables: [agentKeyVariable] },
  ),
];

export const stormModel = 'docs-model';

/**
 * What the model says depends on what it is asked only, so that an attempt after a kill meets the same model:
 * it reads, changes, and ends.
 */
export function stormTurn({ messages }: ModelRequest): ModelTurn {
  const asked = messages.findLastIndex(({ role, text }) => role === 'user' && text.trim() !== '');
  const prompt = messages[asked]?.text ?? '';
  const used = messages.slice(asked + 1).flatMap(({ results }) => results).length;
  if (prompt.includes(model.nothing.prompt)) return finishes('Everything is well.');
  if (used === 0) return { kind: 'call', calls: [{ name: 'read_file', input: { path: 'docs/index.md' } }] };
  if (used > 1) return finishes('Changed the start page.');
  return prompt.includes(model.first.prompt)
    ? edits('docs/index.md', 'dashboard', 'board')
    : { kind: 'call', calls: [editCall('docs/index.md', '# Start', '# Begin')] };
}

/** So many jobs of every kind, each kind in every project when there are enough of them, in any order. */
export function stormJobs(count: number, projects: readonly string[], random: SeededRandom): StormJob[] {
  const modelAgent = `model:company/${stormModel}`;
  const kinds: readonly Omit<StormJob, 'project'>[] = [
    { agent: 'rules', prompts: [rules.first], cancel: false },
    { agent: modelAgent, prompts: [model.first], cancel: false },
    { agent: 'acp:writer', prompts: [acp.first], cancel: false },
    { agent: 'rules', prompts: [rules.first, rules.second], cancel: false },
    { agent: modelAgent, prompts: [model.first, model.second], cancel: false },
    { agent: 'rules', prompts: [rules.first], cancel: true },
    { agent: modelAgent, prompts: [model.nothing], cancel: false },
    { agent: 'acp:reader', prompts: [acp.nothing], cancel: false },
    { agent: 'rules', prompts: [rules.nothing, rules.second], cancel: false },
    { agent: modelAgent, prompts: [model.first], cancel: true },
  ];
  const all = Array.from({ length: count }, (_, number) => ({
    ...kinds[number % kinds.length]!,
    // As long as neither number divides the other, every kind comes to every project.
    project: projects[number % projects.length]!,
  }));
  return random.shuffled(all);
}

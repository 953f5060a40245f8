import assert from 'node:assert/strict';
import type { AgentInfo } from '../../src/contract/agents.ts';
import {
  agentRows,
  providerOf,
  type AgentListContent,
  type AgentRow,
} from '../../src/extension/agent-rows.ts';
import { english } from '../support/job-entries.ts';

const agent = (id: string, fields: Partial<AgentInfo> = {}): AgentInfo => ({
  id,
  kind: id.startsWith('model:') ? 'model' : id.startsWith('acp:') ? 'acp' : 'rules',
  name: id,
  ready: true,
  detail: 'It is there.',
  ...fields,
});
const rules = agent('rules', { name: 'Rules' });
const gpt = agent('model:openai/gpt-5', { name: 'gpt-5 (OpenAI)' });
const claude = agent('acp:claude-code', { name: 'Claude Code', ready: false, detail: 'Install it first.' });
const copilot = { id: 'gpt-4.1', name: 'GPT-4.1', vendor: 'copilot', maxInputTokens: 1000 };

const list = (content: Partial<AgentListContent> = {}): readonly AgentRow[] =>
  agentRows(
    {
      agents: [rules, gpt, claude],
      editorModels: [],
      chosen: 'rules',
      keys: new Map(),
      canManage: false,
      ...content,
    },
    english,
  );
const labels = (rows: readonly AgentRow[]): string[] => rows.map(({ label }) => label);
const agents = (rows: readonly AgentRow[]) => rows.filter((row) => row.kind === 'agent');
const rowOf = (rows: readonly AgentRow[], id: string) =>
  agents(rows).find((row) => row.agent.id === id) ?? assert.fail(id);

describe('The list of agents', () => {
  it('has what works first, then what lacks a word, what to add, and what this machine does not have', () => {
    const keyless = agent('model:other/x', { ready: false, detail: 'There is no key.' });
    const rows = list({ agents: [claude, keyless, rules, gpt], canManage: true });
    assert.deepEqual(
      rows.map((row) =>
        row.kind === 'separator' ? '---' : row.kind === 'action' ? row.action : row.agent.id,
      ),
      [
        '---',
        rules.id,
        gpt.id,
        '---',
        keyless.id,
        '---',
        'addProvider',
        'addCommand',
        'manage',
        '---',
        claude.id,
      ],
    );
    assert.notEqual(rowOf(rows, claude.id).description, '', 'what to install is told to who chooses it');
    assert.equal(rowOf(rows, keyless.id).detail, 'There is no key.');
  });

  it('has no group without agents', () => {
    assert.ok(!labels(list({ agents: [rules] })).includes('Not ready yet'));
  });

  it('manages only what there is', () => {
    const canManage = (rows: readonly AgentRow[]): boolean =>
      rows.some((row) => row.kind === 'action' && row.action === 'manage');
    assert.deepEqual([canManage(list()), canManage(list({ canManage: true }))], [false, true]);
  });

  it('marks the chosen one, in words', () => {
    const rows = list({ chosen: gpt.id });
    assert.deepEqual(
      agents(rows).map(({ isChosen, description }) => [isChosen, description]),
      [
        [false, ''],
        [true, '$(check) chosen'],
        [false, 'see what it needs'],
      ],
    );
  });

  it('says of a chosen program that is not there why, among what is not ready', () => {
    const rows = list({ chosen: claude.id });
    assert.equal(rowOf(rows, claude.id).detail, 'Install it first.');
    assert.ok(labels(rows).indexOf('Not ready yet') === labels(rows).indexOf('$(terminal) Claude Code') - 1);
  });

  it('marks none when the setting names no agent', () => {
    const rows = agents(list({ chosen: undefined }));
    assert.equal(rows.length, 3);
    assert.ok(rows.every(({ isChosen }) => !isChosen));
  });

  it('has the editor’s own models, each once: what the window knows counts', () => {
    const told = agent('editor:gpt-4.1', { kind: 'editor', ready: false, detail: 'No window.' });
    const rows = list({ agents: [rules, told], editorModels: [copilot] });
    assert.deepEqual(
      agents(rows).map((row) => row.agent.id),
      ['rules', 'editor:gpt-4.1'],
    );
    const row = rowOf(rows, 'editor:gpt-4.1');
    assert.equal(row.agent.ready, true);
    assert.equal(row.label, '$(comment-discussion) GPT-4.1');
    assert.match(row.detail, /of this editor, by copilot/);
  });

  it('has models of other windows, too', () => {
    const told = agent('editor:other', { kind: 'editor' });
    assert.ok(rowOf(list({ agents: [rules, told], editorModels: [copilot] }), 'editor:other'));
  });

  it('says of a key that was saved and is gone what to do', () => {
    const other = agent('model:openai-2/gpt-5');
    const rows = list({ agents: [rules, gpt, other], keys: new Map([['openai', 'gone']]) });
    assert.match(rowOf(rows, gpt.id).detail, /Choose this to give it again/);
    assert.equal(rowOf(rows, gpt.id).agent.ready, false);
    assert.equal(rowOf(rows, other.id).agent.ready, true);
    assert.ok(labels(rows).indexOf('Not ready yet') < labels(rows).indexOf('$(sparkle) gpt-5 (OpenAI)'));
  });

  it('offers another key where one is kept, whether it is still there or not', () => {
    const others = [agent('model:ollama/x'), agent('model:openai-2/gpt-5')];
    const keys = new Map([
      ['openai', 'found'],
      ['openai-2', 'gone'],
    ] as const);
    assert.deepEqual(
      agents(list({ agents: [rules, gpt, claude, ...others], keys }))
        .filter(({ hasKey }) => hasKey)
        .map((row) => row.agent.id),
      [gpt.id, 'model:openai-2/gpt-5'],
    );
  });

  for (const [chosen, says] of [
    ['model:gone/gpt-5', /no longer there/],
    ['acp:gone', /no longer there/],
    ['editor:gone', /not in the editor now/],
  ] as const) {
    it(`still shows ${chosen}, which was chosen and is not there`, () => {
      const row = rowOf(list({ chosen }), chosen);
      assert.deepEqual([row.isChosen, row.agent.ready], [true, false]);
      assert.match(row.detail, says);
    });
  }

  it('shows no icon, no line break and no end of text that a name brings along', () => {
    const evil = agent('model:x/y', { name: '$(zap) a\n\u0007b', detail: `$(zap)\n${'x'.repeat(2000)}` });
    const row = rowOf(list({ agents: [evil] }), evil.id);
    assert.doesNotMatch(row.label.slice('$(sparkle)'.length), /\$\(|\n|\u0007/);
    assert.doesNotMatch(row.detail, /\$\(|\n/);
    assert.ok(row.detail.length < 320);
  });

  it('knows the provider of a model only', () => {
    assert.equal(providerOf('model:openai/a/b'), 'openai');
    for (const other of ['rules', 'acp:openai', 'editor:model:openai/x'])
      assert.equal(providerOf(other), undefined);
  });
});

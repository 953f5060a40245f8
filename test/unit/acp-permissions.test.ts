import assert from 'node:assert/strict';
import path from 'node:path';
import type { PermissionOptionKind, ToolCallUpdate, ToolKind } from '@agentclientprotocol/sdk';
import { answerPermission, type PermissionAnswer } from '../../src/adapters/agents/acp/permissions.ts';

const directory = path.resolve('/jobs/1/tree');
const place = { directory, docsRoot: 'docs', outsideDocsRoot: false };
const at = (name: string): string => path.join(directory, name);
const every: readonly PermissionOptionKind[] = ['allow_always', 'allow_once', 'reject_once', 'reject_always'];

function ask(
  call: Partial<ToolCallUpdate>,
  kinds: readonly PermissionOptionKind[] = every,
  earlier?: Partial<ToolCallUpdate>,
): PermissionAnswer {
  const options = kinds.map((kind) => ({ kind, optionId: kind, name: kind }));
  return answerPermission(
    { sessionId: 's', toolCall: { toolCallId: 'c', ...call }, options },
    place,
    earlier,
  );
}

const allowed = { allowed: true, optionId: 'allow_once' };
const edit = (name: string): Partial<ToolCallUpdate> => ({ kind: 'edit', locations: [{ path: name }] });

describe('a permission that an agent asks for', () => {
  it('is given once for pages of the docs', () => {
    assert.deepEqual(ask(edit(at('docs/a.md'))), allowed);
    assert.deepEqual(ask(edit('docs/a.md')), allowed);
    assert.deepEqual(ask(edit(at('mkdocs.yml'))), allowed);
    assert.deepEqual(ask({ kind: 'read', locations: [{ path: at('readme.md') }] }), allowed);
    assert.deepEqual(ask({ kind: 'search', rawInput: { pattern: 'x' } }), allowed);
    assert.deepEqual(ask({ kind: 'think' }), allowed);
  });

  for (const kind of ['execute', 'fetch', 'switch_mode', 'other', 'invented', undefined]) {
    it(`is not given for ${kind ?? 'a tool without a kind'}`, () => {
      const answer = ask({ kind: kind as ToolKind, locations: [{ path: at('docs/a.md') }] });
      assert.equal(answer.allowed, false);
      assert.equal(answer.optionId, 'reject_once');
    });
  }

  const outside: readonly [string, Partial<ToolCallUpdate>][] = [
    ['an absolute path', edit('/etc/passwd')],
    ['a path with dots', edit(at('docs/../../index'))],
    ['a sibling with the same beginning', edit(`${directory}-other/a.md`)],
    ['the home folder', edit('~/.ssh/config')],
    ['an address', { kind: 'read', locations: [{ path: 'file:///etc/passwd' }] }],
    ['a zero byte', edit(at('docs/a.md\0'))],
    ['one of several places', { kind: 'edit', locations: [{ path: at('docs/a.md') }, { path: '/etc/x' }] }],
    ['a diff', { kind: 'edit', content: [{ type: 'diff', path: '/etc/x', newText: '' }] }],
    ['what the tool is given', { ...edit(at('docs/a.md')), rawInput: { file_path: '/etc/x' } }],
    [
      'something deeper in it',
      {
        kind: 'move',
        locations: [{ path: at('docs/a.md') }],
        rawInput: { edits: [{ destination: '/etc/x' }] },
      },
    ],
    ['the keys of a patch', { kind: 'edit', rawInput: { changes: { '/etc/x': { type: 'add' } } } }],
    ['a reading of something else', { kind: 'read', rawInput: { absolute_path: '/root/.ssh/id' } }],
    ['a folder to work in', { kind: 'search', rawInput: { cwd: '/' } }],
  ];
  for (const [what, call] of outside) {
    it(`is not given outside the workspace: ${what}`, () => {
      assert.equal(ask(call).allowed, false);
    });
  }

  it('is not given for protected files, whatever their spelling', () => {
    for (const name of [
      '.github/ci.yml',
      'docs/AGENTS.md',
      'docs/.Git/config',
      'readme.md',
      'docs/.claude/x',
    ]) {
      assert.equal(ask(edit(at(name))).allowed, false, name);
    }
  });

  it('is not given for a change of nobody knows what', () => {
    assert.equal(ask({ kind: 'edit' }).allowed, false);
    assert.equal(ask({ kind: 'delete', rawInput: { reason: 'x' } }).allowed, false);
  });

  it('is not given for a program that is called a reading', () => {
    const reading: Partial<ToolCallUpdate> = { kind: 'read', locations: [{ path: 'docs/a.md' }] };
    for (const rawInput of [
      { command: ['bash', '-lc', 'cat docs/a.md'], cwd: directory, parsed_cmd: [{ type: 'read' }] },
      { command: 'cat docs/a.md | sh' },
      { cmd: 'rg --pre ./x a' },
      { script: 'view\nrm -r docs' },
    ]) {
      assert.equal(ask({ ...reading, rawInput }).allowed, false, JSON.stringify(rawInput));
      assert.equal(ask({ ...reading, kind: 'search' }, every, { rawInput }).allowed, false);
    }
    // The text editor that a model was trained with calls its ways of working commands.
    assert.deepEqual(ask({ ...reading, rawInput: { command: 'view', path: 'docs/a.md' } }), allowed);
    assert.deepEqual(ask({ ...edit('docs/a.md'), rawInput: { command: 'str_replace' } }), allowed);
  });

  it('is not given for what is nested deeper than anybody looks', () => {
    const nested = (depth: number): unknown => (depth === 0 ? { path: '/etc/x' } : [nested(depth - 1)]);
    for (const depth of [1, 5, 6, 7, 1000]) {
      assert.equal(ask({ ...edit('docs/a.md'), rawInput: nested(depth) }).allowed, false, String(depth));
    }
    assert.deepEqual(ask({ ...edit('docs/a.md'), rawInput: [[{ newText: 'x' }]] }), allowed);
  });

  it('looks at what was told of the call before, and at what is told now', () => {
    assert.deepEqual(ask({ title: 'x' }, every, edit(at('docs/a.md'))), allowed);
    assert.equal(ask({ kind: null, title: 'x' }, every, { kind: 'execute' }).allowed, false);
    assert.equal(ask(edit('/etc/x'), every, edit(at('docs/a.md'))).allowed, false);
  });

  it('is never given for more than once', () => {
    const answer = ask(edit(at('docs/a.md')), ['allow_always', 'reject_always']);
    assert.equal(answer.allowed, false);
    assert.equal(answer.optionId, 'reject_always');
  });

  it('is cancelled where there is no way to say no', () => {
    assert.equal(ask({ kind: 'execute' }, ['allow_once']).optionId, undefined);
    assert.equal(ask({ kind: 'execute' }, []).optionId, undefined);
  });
});

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { findAcpAgents } from '../../src/adapters/agents/acp/find-acp-agents.ts';
import { findProgram, type Machine } from '../../src/adapters/agents/acp/find-program.ts';
import { agentInfoSchema } from '../../src/contract/agents.ts';
import { temporaryFolder, writeFiles } from '../support/repositories.ts';

function machine(home: string, env: NodeJS.ProcessEnv = {}): Machine {
  return { env: { PATH: path.join(home, 'bin'), ...env }, platform: 'linux', home };
}

function install(folder: string, ...names: readonly string[]): void {
  for (const name of names) {
    // Would be seen if anybody ran it.
    writeFiles(folder, { [name]: '#!/bin/sh\ntouch "$0.ran"\n' });
    chmodSync(path.join(folder, name), 0o755);
  }
}

describe('agents of this machine', () => {
  it('are offered by name, the ready ones and the others with the reason', () => {
    using folder = temporaryFolder();
    const bin = path.join(folder.path, 'bin');
    install(bin, 'opencode', 'claude', 'codex-acp');
    install(path.join(folder.path, '.local', 'bin'), 'gemini');
    const found = findAcpAgents(machine(folder.path));
    for (const { info } of found) agentInfoSchema.parse(info);
    const states = Object.fromEntries(found.map(({ info }) => [info.id, info.ready]));
    assert.deepEqual(states, {
      'acp:claude': false,
      'acp:codex': true,
      'acp:gemini': true,
      'acp:opencode': true,
      'acp:copilot': states['acp:copilot'],
    });
    const detail = (id: string): string => found.find(({ info }) => info.id === id)?.info.detail ?? '';
    assert.match(
      detail('acp:claude'),
      /not its adapter.*npm install -g @agentclientprotocol\/claude-agent-acp/,
    );
    assert.match(detail('acp:opencode'), new RegExp(path.join(bin, 'opencode')));
    const gemini = found.find(({ info }) => info.id === 'acp:gemini');
    assert.deepEqual(gemini?.command.args, ['--acp']);
    assert.equal(findProgram(path.join(bin, 'opencode.ran'), machine(folder.path)).kind, 'missing');
  });

  it('of the settings come first and replace a known one', () => {
    using folder = temporaryFolder();
    install(path.join(folder.path, 'bin'), 'opencode', 'mine');
    const own = [
      { id: 'mine', name: 'Mine', command: 'mine', args: [], passVariables: [] },
      { id: 'opencode', name: 'Our opencode', command: 'no-such-thing', args: ['acp'], passVariables: [] },
    ];
    const found = findAcpAgents(machine(folder.path), own);
    assert.deepEqual(
      found.slice(0, 2).map(({ info }) => [info.id, info.ready]),
      [
        ['acp:mine', true],
        ['acp:opencode', false],
      ],
    );
    assert.equal(found.filter(({ info }) => info.id === 'acp:opencode').length, 1);
  });

  it('are not found where nobody put them: relative folders, folders of that name, files that cannot be run', () => {
    using folder = temporaryFolder();
    const bin = path.join(folder.path, 'bin');
    mkdirSync(path.join(bin, 'a-folder'), { recursive: true });
    writeFiles(bin, { 'not-runnable': 'x' });
    symlinkSync('nowhere', path.join(bin, 'dangling'));
    install(path.join(folder.path, 'cwd'), 'here');
    const here = machine(folder.path, { PATH: `${bin}::.:./cwd:cwd` });
    const cwd = process.cwd();
    process.chdir(folder.path);
    try {
      for (const name of ['a-folder', 'not-runnable', 'dangling', 'here', './cwd/here', 'cwd/here', '']) {
        assert.equal(findProgram(name, here).kind, 'missing', name);
      }
    } finally {
      process.chdir(cwd);
    }
  });

  it('on Windows are what their npm shims start, without a command prompt', () => {
    using folder = temporaryFolder();
    const bin = path.join(folder.path, 'bin');
    writeFiles(bin, {
      'node.exe': '',
      'gemini.cmd':
        '@ECHO off\r\nIF EXIST "%dp0%\\node.exe" (x)\r\nendLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\node_modules\\gemini\\index.js" %*\r\n',
      'node_modules/gemini/index.js': '',
      'opencode.cmd': '@"%~dp0\\node_modules\\opencode-ai\\bin\\opencode.exe" %*\r\n',
      'node_modules/opencode-ai/bin/opencode.exe': '',
      'odd.cmd': '@powershell something %*\r\n',
    });
    const here: Machine = { env: { Path: bin, PATHEXT: '.EXE;.CMD' }, platform: 'win32', home: folder.path };
    // The separator of Windows would cut nothing here: one folder is enough.
    const gemini = findProgram('gemini', here);
    assert.deepEqual(gemini, {
      kind: 'found',
      program: {
        file: path.join(bin, 'node.exe'),
        args: [path.join(bin, 'node_modules', 'gemini', 'index.js')],
      },
    });
    const opencode = findProgram('opencode', here);
    assert.equal(
      opencode.kind === 'found' && opencode.program.file,
      path.join(bin, 'node_modules', 'opencode-ai', 'bin', 'opencode.exe'),
    );
    assert.equal(findProgram('odd', here).kind, 'unusable');
  });
});

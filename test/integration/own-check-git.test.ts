import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ShellCheck } from '../../src/adapters/check-command/shell-check.ts';
import { OwnCheck } from '../../src/service/own-check.ts';
import { Redactor } from '../../src/service/redaction.ts';
import { gitService, noSignal, projectOf } from '../support/git-service.ts';
import { originAndClone, temporaryFolder, writeFiles } from '../support/repositories.ts';

describe('the check command of a repository, with git and a shell', () => {
  it('sees the files of the commit, leaves nothing behind, and compares with the commit before', async () => {
    if (process.platform === 'win32') return;
    using folder = temporaryFolder();
    const command = 'touch made-by-check; test ! -e .git && ! grep -rn bad --include=*.md .';
    const { clone } = originAndClone(folder.path, {
      '.docs-agent.json': JSON.stringify({ check: command }),
      'a.md': 'bad\n',
      'b.md': 'good\n',
    });
    await using service = gitService(folder.path);
    const project = { ...projectOf(clone), allowedCheck: command };
    await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
    const redactor = new Redactor();
    const own = new OwnCheck(workspace, project, {
      workspaces: service.workspaces,
      checkCommand: new ShellCheck({ redactor, env: process.env }),
      redact: (text) => redactor.redact(text),
    });
    writeFiles(workspace.directory, { 'b.md': 'bad\n' });
    const commit = await workspace.commit('Worse', {});
    assert.ok(commit !== undefined);
    const worse = await own.run(commit, noSignal);
    assert.match(worse.problems[0] ?? '', /fails with exit code 1\. It failed before too; this is new:$/);
    assert.deepEqual(worse.problems.slice(1), ['./b.md:1:bad']);
    writeFiles(workspace.directory, { 'a.md': 'good\n', 'b.md': 'better\n' });
    const mended = await workspace.commit('Better', {});
    assert.ok(mended !== undefined);
    assert.match((await own.run(mended, noSignal)).note ?? '', /passed\.$/);
    assert.equal(existsSync(path.join(workspace.directory, 'made-by-check')), false);
    assert.equal(readFileSync(path.join(workspace.directory, 'b.md'), 'utf8'), 'better\n');
  });
});

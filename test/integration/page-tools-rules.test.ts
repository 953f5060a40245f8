import assert from 'node:assert/strict';
import { link, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { changesBetween } from '../support/docs-trees.ts';
import { toolWorld } from '../support/page-tools.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('The rules as a tool of a model', () => {
  it('let a rule change nothing that a job may not change, and write through no hard link', async () => {
    await using outside = await temporaryFolder();
    await using world = await toolWorld(
      {
        'docusaurus.config.js':
          "module.exports = { plugins: [['@docusaurus/plugin-client-redirects', { redirects: [\n] }]] };\n",
        'sidebars.js': "module.exports = { docs: ['old'] };\n",
        'docs/old.md': '# Old\n\n[x](/gone.md) [y](gone.md)\n',
        'docs/AGENTS.md': 'Say log in.\n',
        'README.md': 'log in\n',
      },
      { docsRoot: 'docs' },
    );
    await writeFile(path.join(outside.path, 'theirs.md'), 'log in, see [old](old.md)\n');
    await link(path.join(outside.path, 'theirs.md'), path.join(world.path, 'docs', 'new.md'));
    await world.use('list_files', {});
    const before = await world.files();
    const replaced = await world.use('run_rule', { instruction: 'replace "log in" with "sign in"' });
    assert.equal(replaced.failed, false, replaced.text);
    const renamed = await world.use('run_rule', { instruction: 'rename page old to fresh' });
    assert.match(renamed.text, /docusaurus\.config\.js.*because it may not be changed/);
    const changes = changesBetween(before, await world.files());
    assert.deepEqual(Object.keys(changes).toSorted(), [
      'docs/fresh.md',
      'docs/new.md',
      'docs/old.md',
      'sidebars.js',
    ]);
    assert.equal((await world.files())['docs/new.md'], 'sign in, see [old](fresh.md)\n');
    assert.match(await readFile(path.join(outside.path, 'theirs.md'), 'utf8'), /^log in, see \[old\]\(old/);
    // Also the page that only has another name now.
    assert.match(
      (await world.use('run_checks', {})).text,
      /^No new problems on [234] pages\. 1 older problem/,
    );
  });

  it('carry out a rule, and say what the rules do not understand', async () => {
    await using world = await toolWorld({ 'a.md': 'Log in.\n', 'b.md': 'log in\n' });
    const answer = await world.use('run_rule', { instruction: 'replace "log in" with "sign in"' });
    assert.equal(answer.failed, false, answer.text);
    assert.deepEqual(await world.files(), { 'a.md': 'Sign in.\n', 'b.md': 'sign in\n' });
    const unclear = await world.use('run_rule', { instruction: 'make it nicer' });
    assert.equal(unclear.failed, true);
    assert.match(unclear.text, /I did not understand: make it nicer/);
    assert.doesNotMatch(unclear.text, /For any other wish/);
  });
});

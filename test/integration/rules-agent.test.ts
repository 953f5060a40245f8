import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkPages } from '../../src/docset/checks.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { mintlifyTree, mkdocsTree, readTree, writeTree } from '../support/docs-trees.ts';
import { changesOf, never, refusal, runRules } from '../support/rules-agent.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('The rules agent', () => {
  it('does several instructions in order, each on what the one before left', async () => {
    const prompt =
      'Rename page guides/log-in to guides/sign-in. Then replace "log in" with "sign in" and fix broken links.';
    const { after, title, summary } = await changesOf(mintlifyTree(), prompt);
    assert.match(
      title,
      /^Rename log-in\.mdx to sign-in\.mdx, replace "log in" with "sign in", fix broken links$/,
    );
    assert.match(after['index.mdx'] ?? '', /href="\/guides\/sign-in#sign-in-with-a-token"/);
    assert.ok(
      summary.indexOf('Renamed') < summary.indexOf('Replaced') &&
        summary.indexOf('Replaced') < summary.indexOf('Fixed'),
    );
  });

  it('does nothing at all when it does not understand a part', async () => {
    const error = await refusal(
      mintlifyTree(),
      'Replace "log in" with "sign in". Then document the retry option.',
    );
    assert.match(error.message, /document the retry option/);
    assert.match(error.message, /fix broken links/);
    assert.match(error.message, /Docs Agent: Choose Agent…/);
    assert.match(
      (await refusal(mintlifyTree(), 'replace "log in" with "x" in nowhere/')).message,
      /no folder called "nowhere\/"/,
    );
  });

  it('stays inside the docs root', async () => {
    const tree = { 'README.md': 'log in\n', 'docs/a.md': 'log in\n', 'docs/node_modules/x/a.md': 'log in\n' };
    const { changes } = await changesOf(tree, 'replace "log in" with "sign in"', { docsRoot: 'docs' });
    assert.deepEqual(Object.keys(changes), ['docs/a.md']);
    await using folder = await temporaryFolder();
    await assert.rejects(runRules(folder.path, 'fix broken links', { docsRoot: '../..' }));
  });

  it('never follows a symbolic link', async function () {
    if (process.platform === 'win32') this.skip();
    await using outside = await temporaryFolder();
    await writeTree(outside.path, { 'a.md': 'log in\n' });
    await using folder = await temporaryFolder();
    await writeTree(folder.path, { 'docs/b.md': 'log in\n' });
    await symlink(outside.path, path.join(folder.path, 'docs', 'linked'));
    await symlink(path.join(outside.path, 'a.md'), path.join(folder.path, 'docs', 'a.md'));
    await runRules(folder.path, 'replace "log in" with "sign in"');
    assert.deepEqual(await readTree(outside.path), { 'a.md': 'log in\n' });
    await assert.rejects(runRules(folder.path, 'rename page docs/b to docs/linked/b'), ServiceError);
    assert.deepEqual(await readTree(outside.path), { 'a.md': 'log in\n' });
  });

  it('is not stopped by front matter that exhausts the parser', async () => {
    const front = `---\n${'? '.repeat(50_000)}\n---\n`;
    const tree = {
      'deep.md': `${front}\n[x](page.md)\n`,
      'page.md': 'log in\n',
      'mkdocs.yml': `nav:\n${'? '.repeat(50_000)}\n`,
    };
    for (const prompt of [
      'replace "log in" with "sign in"',
      'fix broken links',
      'rename page page.md to other.md',
    ]) {
      const { after } = await changesOf(tree, prompt);
      assert.ok(after['deep.md']?.startsWith(front), prompt);
      assert.ok(after['mkdocs.yml'] === tree['mkdocs.yml'], prompt);
    }
  });

  it('leaves alone what stands for a symbolic link, and says so', async () => {
    const tree = {
      'index.md': '# Home\n\n[a](link.md)\n',
      'other.md': '# Other\n',
      // As git writes links where there can be none: no line break at the end.
      'link.md': 'other.md',
      'out.md': '../../elsewhere/page.md',
    };
    const tidied = await changesOf(tree, 'tidy Markdown');
    assert.deepEqual(tidied.changes, {});
    assert.match(tidied.summary, /`link\.md`, because it is a symbolic link/);
    assert.deepEqual((await changesOf(tree, 'replace "other" with "some" in link.md')).changes, {});
    assert.deepEqual((await changesOf(tree, 'fix broken links')).changes, {});
  });

  it('stops at once when it is told to', async () => {
    await using folder = await temporaryFolder();
    const tree = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}.md`, 'log in\n']));
    await writeTree(folder.path, tree);
    const stop = new AbortController();
    const running = runRules(folder.path, 'replace "log in" with "sign in"', {
      signal: stop.signal,
      onProgress: () => stop.abort(new Error('stopped')),
    });
    await assert.rejects(running, /stopped/);
    const changed = Object.values(await readTree(folder.path)).filter((text) => text.includes('sign in'));
    assert.ok(changed.length < 20, `${changed.length} pages changed`);
  });

  it('tells what it is doing', async () => {
    const told: string[] = [];
    await changesOf(mkdocsTree(), 'replace "log in" with "sign in"', {
      onProgress: (message) => told.push(message),
    });
    assert.match(told.join(), /Reading 4 pages/);
  });

  it('keeps page text in its summary from being read as Markdown', async () => {
    const { summary } = await changesOf({ 'a`b](x).md': '[a](evil`_b_.md)\n' }, 'fix broken links');
    assert.match(summary, /``a`b\]\(x\)\.md:1``: ``evil`_b_\.md``/);
  });
});

describe('Checking changed pages', () => {
  it('finds bad syntax, front matter, links, anchors and images, and nothing where all is well', async () => {
    await using folder = await temporaryFolder();
    await writeTree(folder.path, mintlifyTree());
    await writeFile(path.join(folder.path, 'bad.mdx'), '---\ntitle: [\n---\n');
    const paths = ['broken.mdx', 'bad.mdx', 'index.mdx', 'reference/tokens.mdx', 'gone.mdx', 'docs.json'];
    const problems = await checkPages(folder.path, '', paths, never);
    assert.deepEqual(
      problems.map((problem) => `${problem.path}:${problem.line} ${problem.kind}`),
      [
        'broken.mdx:1 syntax',
        'bad.mdx:3 front_matter',
        'reference/tokens.mdx:7 link',
        'reference/tokens.mdx:7 link',
        'reference/tokens.mdx:8 asset',
      ],
    );
  });
});

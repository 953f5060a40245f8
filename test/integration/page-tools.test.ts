import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { toolTable } from '../../src/adapters/agents/model/tools/tool-table.ts';
import { changesBetween, docusaurusTree, mintlifyTree, mkdocsTree } from '../support/docs-trees.ts';
import { toolWorld, versionIn } from '../support/page-tools.ts';

describe('The tools of a model', () => {
  it('edit exactly, several at once, and keep CRLF, byte order mark and the missing final line break', async () => {
    await using world = await toolWorld({ 'a.md': '\uFEFFOne\r\nTwo\r\nThree\r\nend' });
    const answer = await world.use('edit_file', {
      path: 'a.md',
      edits: [
        { oldText: 'One\nTwo', newText: '1\n2\n2b' },
        { oldText: 'end', newText: 'the end' },
      ],
    });
    assert.equal(answer.failed, false, answer.text);
    assert.equal((await world.files())['a.md'], '\uFEFF1\r\n2\r\n2b\r\nThree\r\nthe end');
  });

  it('do all edits or none, and say what would have fitted', async () => {
    await using world = await toolWorld({ 'a.md': 'Click “Save” now.\n\nCall it.\nCall it.\n' });
    const before = await world.files();
    const one = (oldText: string, newText = 'x') => ({
      path: 'a.md',
      edits: [
        { oldText: 'Click', newText: 'Press' },
        { oldText, newText },
      ],
    });
    assert.match(
      (await world.use('edit_file', one('Call it.'))).text,
      /^a\.md: Edit 2 of 2: oldText occurs 2 times, in lines 3, 4/,
    );
    assert.match(
      (await world.use('edit_file', one('"Save" now'))).text,
      /differ from it only in spaces.*\nPress “Save” now\./s,
    );
    assert.match((await world.use('edit_file', one('3\tCall it.'))).text, /line numbers/);
    assert.match((await world.use('edit_file', one('Cal it'))).text, /Most like it[^]*3\tCall it\./);
    assert.match((await world.use('edit_file', one('', 'x'))).text, /oldText is empty/);
    // With the time of a square, this one would take hours.
    assert.match(
      (await world.use('edit_file', one('\n'.repeat(1_000_000)))).text,
      /does not stand in the file/,
    );
    assert.deepEqual(await world.files(), before);
    const all = await world.use('edit_file', {
      path: 'a.md',
      edits: [{ oldText: 'Call', newText: 'Ring', replaceAll: true }],
    });
    assert.match(all.text, /^Changed 2 places in a\.md \(lines 3, 4\)/);
  });

  it('warn with the line when a change makes a page unparseable, and keep the change', async () => {
    await using world = await toolWorld({ ...mintlifyTree(), 'm.md': '# A\n\n<Card>x</Card>\n' });
    const edit = { path: 'index.mdx', edits: [{ oldText: '# Welcome', newText: '# Welcome {' }] };
    const answer = await world.use('edit_file', edit);
    assert.equal(answer.failed, false);
    assert.match(answer.text, /Warning: the page cannot be parsed, line \d+: .*Mend it now/);
    assert.match((await world.files())['index.mdx'] ?? '', /# Welcome \{/);
    const fallen = await world.use('edit_file', {
      path: 'm.md',
      edits: [{ oldText: '</Card>', newText: '' }],
    });
    assert.match(fallen.text, /no valid MDX any more/);
    const json = await world.use('edit_file', {
      path: 'docs.json',
      edits: [{ oldText: '"theme": "mint",', newText: '"theme": "mint"' }],
    });
    assert.match(json.text, /no valid JSON/);
    const matter = await world.use('write_file', { path: 'new.mdx', content: '---\ntitle: "a\n---\n' });
    assert.match(matter.text, /Warning: the front matter is invalid, line/);
  });

  it('replace a whole file only for one who has its version', async () => {
    await using world = await toolWorld({ 'a.md': 'A\r\n' });
    assert.match((await world.use('write_file', { path: 'a.md', content: 'B\n' })).text, /exists already/);
    const version = versionIn(await world.use('read_file', { path: 'a.md' }));
    await writeFile(path.join(world.path, 'a.md'), 'Changed\r\n');
    const late = await world.use('write_file', { path: 'a.md', content: 'B\n', version });
    assert.match(late.text, /not what you read/);
    const fresh = versionIn(await world.use('read_file', { path: 'a.md' }));
    const written = await world.use('write_file', { path: 'a.md', content: 'B\nC\n', version: fresh });
    assert.equal(written.failed, false, written.text);
    assert.equal((await world.files())['a.md'], 'B\r\nC\r\n');
    const again = await world.use('write_file', {
      path: 'a.md',
      content: 'D\n',
      version: versionIn(written),
    });
    assert.equal(again.failed, false, again.text);
    assert.equal((await world.use('write_file', { path: 'x/y/new.md', content: 'N\n' })).failed, false);
    assert.equal((await world.files())['x/y/new.md'], 'N\n');
  });

  it('read lines with numbers, tell how to read on, and stay bounded', async () => {
    const long = Array.from({ length: 5_000 }, (_, index) => `Line ${index + 1} of a long page.`).join('\n');
    await using world = await toolWorld({
      'long.md': `${long}\n`,
      'wide.md': 'x'.repeat(100_000),
      'a.md': 'A\n',
      'empty.md': '',
    });
    const first = await world.use('read_file', { path: 'long.md' });
    assert.ok(first.text.length <= 31_000);
    const next = Number(/go on with startLine (\d+)/.exec(first.text)?.[1]);
    const second = await world.use('read_file', {
      path: 'long.md',
      startLine: String(next),
      endLine: next + 1,
    });
    assert.match(second.text, new RegExp(`^${next}\tLine ${next} of`, 'm'));
    assert.ok((await world.use('read_file', { path: 'wide.md' })).text.length < 5_000);
    assert.match((await world.use('read_file', { path: 'a.md', startLine: 9 })).text, /has 1 lines/);
    assert.match((await world.use('read_file', { path: 'guides/a.mdx' })).text, /Did you mean a\.md/);
    assert.match((await world.use('read_file', { path: 'empty.md' })).text, /is empty/);
  });

  it('refuse what is no text, what holds keys, what is protected, and what lies outside the docs', async () => {
    await using world = await toolWorld(
      {
        'docs/a.md': '# A\n',
        'README.md': 'Read me\n',
        '.env': 'KEY=abc\n',
        'docs/.env.local': 'KEY=abc\n',
        'certs/server.pem': 'KEY\n',
        '.github/workflows/ci.yml': 'on: push\n',
        'AGENTS.md': 'Write well.\n',
        'docs/big.md': 'x'.repeat(2_000_001),
        'docs/pic.png': Uint8Array.of(0x89, 0, 1),
        'docs/latin.md': Buffer.from('caf\u00E9\n', 'latin1'),
        'docs/lfs.png': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n',
        '.git/config': '[core]\n',
        'mkdocs.yml': 'site_name: A\n',
      },
      { docsRoot: 'docs' },
    );
    await mkdir(path.join(world.path, 'docs', 'sub'));
    await symlink('../a.md', path.join(world.path, 'docs', 'sub', 'link.md'));
    const before = await world.files();
    for (const file of [
      '.env',
      'docs/.env.local',
      'certs/server.pem',
      'docs/big.md',
      'docs/pic.png',
      'docs/latin.md',
      'docs/lfs.png',
      '.git/config',
      'docs/sub/link.md',
      '../x',
      '/etc/passwd',
      'docs',
    ]) {
      const answer = await world.use('read_file', { path: file });
      assert.equal(answer.failed, true, file);
      assert.doesNotMatch(answer.text, /KEY=|\[core\]|root:/);
    }
    for (const file of [
      'README.md',
      'AGENTS.md',
      '.github/workflows/ci.yml',
      'docs/CLAUDE.md',
      '.env',
      'docs/.git/x',
      'docs/sub/link.md',
      'docs/../README.md',
      'readme.md',
      'new.md',
    ]) {
      for (const [name, input] of [
        ['write_file', { path: file, content: 'evil' }],
        ['edit_file', { path: file, edits: [{ oldText: 'e', newText: 'evil', replaceAll: true }] }],
        ['delete_file', { path: file }],
        ['move_file', { from: file, to: 'docs/moved.md' }],
        ['move_file', { from: 'docs/a.md', to: file }],
      ] as const) {
        const answer = await world.use(name, input);
        assert.equal(answer.failed, true, `${name} ${file}: ${answer.text}`);
      }
    }
    assert.deepEqual(await world.files(), before);
    assert.equal((await world.use('read_file', { path: 'README.md' })).failed, false);
    assert.equal((await world.use('read_file', { path: 'AGENTS.md' })).failed, false);
    assert.equal(
      (await world.use('edit_file', { path: 'mkdocs.yml', edits: [{ oldText: 'A', newText: 'B' }] })).failed,
      false,
    );
    const listed = (await world.use('list_files', { path: '.', recursive: true })).text;
    assert.doesNotMatch(listed, /\.env|server\.pem|\.git\/|link\.md/);
    assert.match(listed, /docs\/a\.md/);
    assert.doesNotMatch((await world.use('search', { query: 'KEY', path: '.' })).text, /KEY=/);
    assert.equal((await world.use('search', { query: 'KEY', path: '.env' })).failed, true);
  });

  it('answer wrong names and arguments in words, and take what can be meant', async () => {
    await using world = await toolWorld({ 'a.md': 'A b\n' });
    assert.match((await world.useAny('bash', {})).text, /There is no tool "bash"\. The tools are list_files/);
    for (const input of [
      undefined,
      null,
      7,
      'x',
      [],
      { path: 7 },
      {},
      { path: 'none.md', edits: 'x' },
      { __proto__: null, path: [] },
    ]) {
      for (const { name } of toolTable) {
        const answer = await world.use(name, input);
        assert.equal(typeof answer.text, 'string');
        if (name === 'edit_file' || name === 'move_file' || name === 'write_file')
          assert.equal(answer.failed, true);
      }
    }
    const edits = JSON.stringify([{ oldText: 'A', newText: 'C' }]);
    assert.equal((await world.use('edit_file', JSON.stringify({ path: 'a.md', edits }))).failed, false);
    assert.equal(
      (await world.use('edit_file', { path: 'a.md', edits: { oldText: 'C', newText: 'D' } })).failed,
      false,
    );
    assert.equal((await world.files())['a.md'], 'D b\n');
  });

  it('find words, most relevant first, with patterns that cannot hang', async () => {
    await using world = await toolWorld({
      'guides/token.md': '# Tokens\n\nA token.\n',
      'guides/other.md': 'Something.\nA Token here.\r\nmore\n',
      'deep.md': `${'a'.repeat(50_000)}\n`,
      'data.json': '{"token": 1}\n',
    });
    const found = await world.use('search', { query: 'token' });
    assert.match(found.text, /^4 lines in 3 files of 4 files/);
    assert.ok(found.text.indexOf('guides/token.md') < found.text.indexOf('guides/other.md'));
    assert.ok(found.text.indexOf('guides/other.md') < found.text.indexOf('data.json'));
    assert.match(
      (await world.use('search', { query: 'token', matchCase: true, pattern: 'guides/**' })).text,
      /^1 line in 1 file of 2/,
    );
    assert.match(
      (await world.use('search', { query: 'Token', wholeWord: true, context: 1, pattern: 'other.md' })).text,
      /~ 1: Something\.\n\s+2: A Token here\.\n\s+~ 3: more/,
    );
    assert.match(
      (await world.use('search', { query: '^A \\w{5}\\.?( here)?\\.$', regex: true })).text,
      /^2 lines in 2 files/,
    );
    assert.match(
      (await world.use('search', { query: '^#+\\s+[A-Z]', regex: true, matchCase: true })).text,
      /^1 line/,
    );
    for (const query of ['(a+)+$', '(a|a)*b', '(a*)*c', '(.*a){20}x', '(?:a?){30}a{30}b', '([a-z]+)*1']) {
      const answer = await world.use('search', { query, regex: true });
      assert.equal(answer.failed, false, answer.text);
      assert.doesNotMatch(answer.text, /took too long/, query);
    }
    for (const query of ['(', '[', '(?=a)', '(a)\\1', 'a{2,1}', '*a', '((a{500}){500}){500}', '\\']) {
      assert.match((await world.use('search', { query, regex: true })).text, /cannot be used/, query);
    }
  });

  it('outline pages with lines and anchors, and folders with titles', async () => {
    await using world = await toolWorld(mkdocsTree(), { docsRoot: 'docs' });
    const page = await world.use('outline', { path: 'docs/guide/usage.md' });
    assert.equal(
      /\d+ lines/.exec(page.text)?.[0],
      /\d+ lines/.exec((await world.use('read_file', { path: 'docs/guide/usage.md' })).text)?.[0],
    );
    assert.match(
      page.text,
      /1\t# Usage {2}\(#usage\)\n3\t## First run {2}\(#first-run\)\n5\t## First run {2}\(#first-run_1\)/,
    );
    const folder = await world.use('outline', {});
    assert.match(folder.text, /docs\/guide\/install\.md: Install/);
    assert.match(folder.text, /docs\/latin\.md: \(cannot be read\)/);
  });

  it('move a page with links, navigation and a redirect in Mintlify, Docusaurus and MkDocs', async () => {
    for (const { tree, place, from, to, files } of [
      {
        tree: mintlifyTree(),
        place: {},
        from: 'guides/log-in.mdx',
        to: 'access/sign-in.mdx',
        files: ['docs.json', 'index.mdx', 'reference/tokens.mdx'],
      },
      {
        tree: docusaurusTree(),
        place: { docsRoot: 'docs' },
        from: 'docs/guide/setup.md',
        to: 'docs/start/install.md',
        files: ['sidebars.js', 'docs/intro.md', 'docs/guide/usage.mdx'],
      },
      {
        tree: mkdocsTree(),
        place: { docsRoot: 'docs' },
        from: 'docs/guide/install.md',
        to: 'docs/start/set-up.md',
        files: ['mkdocs.yml', 'docs/index.md'],
      },
    ]) {
      await using world = await toolWorld(tree, place);
      const before = await world.files();
      const answer = await world.use('move_file', { from, to });
      assert.equal(answer.failed, false, answer.text);
      const changes = changesBetween(before, await world.files());
      assert.equal(changes[from], 'deleted');
      assert.equal(changes[to], 'added');
      for (const file of files) {
        assert.ok(changes[file], `${file} of ${Object.keys(changes).join()}: ${answer.text}`);
        assert.ok(answer.text.includes(file), answer.text);
      }
      const checks = await world.use('run_checks', { paths: files.filter((file) => /\.mdx?$/.test(file)) });
      assert.doesNotMatch(checks.text, new RegExp(path.basename(from)));
    }
  });

  it('delete a file and tell who still names it', async () => {
    await using world = await toolWorld(mkdocsTree(), { docsRoot: 'docs' });
    const answer = await world.use('delete_file', { path: 'docs/guide/install.md' });
    assert.match(answer.text, /^Deleted docs\/guide\/install\.md\./);
    assert.match(answer.text, /docs\/index\.md, line 17/);
    assert.match(answer.text, /take it out of mkdocs\.yml/);
    const checks = await world.use('run_checks', {});
    assert.match(checks.text, /docs\/index\.md, line \d+: The link leads nowhere/);
  });
});

import assert from 'node:assert/strict';
import { toolWorld } from '../support/page-tools.ts';

const mint = (...pages: string[]): string =>
  `${JSON.stringify({ theme: 'mint', navigation: { pages } }, undefined, 2)}\n`;

describe('What the tools tell a model about its changes', () => {
  it('is who links to the anchor of a heading that it renamed, and what it is called now', async () => {
    await using world = await toolWorld({
      'docs.json': mint('a', 'b', 'c'),
      'a.mdx': '## Root folder\n\nText, see [above](#root-folder).\n\n## Other\n',
      'b.mdx': '# B\n\nSee [root](/a#root-folder).\n\n[gone](/none) and [again](./a.mdx#root-folder)\n',
      'c.mdx': '## Root folder\n\n[mine](#root-folder), as `/a#root-folder` says.\n',
    });
    const answer = await world.use('edit_file', {
      path: 'a.mdx',
      edits: [{ oldText: '## Root folder', newText: '## Project root' }],
    });
    assert.equal(
      answer.text.slice(answer.text.indexOf('\n') + 1),
      'Warning: links lead to anchors that your change took away: #root-folder (now #project-root). Mend the 3 links:\na.mdx, line 3\nb.mdx, lines 3, 5',
    );
    const checks = await world.use('run_checks', {});
    assert.match(
      checks.text,
      /3 problems that your changes brought: mend them:\na\.mdx, line 3: .*#root-folder/,
    );
    assert.match(checks.text, /^2 pages checked\. 1 older problem on these pages was there/);
    assert.doesNotMatch(checks.text, /\/none/);
    const named = await world.use('run_checks', { paths: ['b.mdx', 'c.mdx'] });
    assert.match(named.text, /1 problem older than your changes:\nb\.mdx, line 5: .*\/none/);
    const mended = { oldText: '#root-folder', newText: '#project-root', replaceAll: true };
    await world.use('edit_file', { path: 'a.mdx', edits: [mended] });
    await world.use('edit_file', { path: 'b.mdx', edits: [mended] });
    assert.match((await world.use('run_checks', {})).text, /^No new problems on 2 pages\. 1 older problem/);
  });

  it('is nothing where no link leads to what it took away', async () => {
    await using world = await toolWorld({
      'docs.json': mint('a', 'b'),
      'a.mdx': '## Root folder\n\n## Other\n',
      'b.mdx': '## Root folder\n\n[mine](#root-folder) [other](/a#other)\n',
    });
    const edits = [{ oldText: '## Root folder\n\n', newText: '' }];
    assert.match((await world.use('edit_file', { path: 'a.mdx', edits })).text, /Version \w+ now\.$/);
  });

  it('is not what was wrong before, be it there twice, and is when it is there three times', async () => {
    await using world = await toolWorld({
      'docs.json': mint('a', 'old'),
      'a.mdx': '![x](/no.png)\n\n![x](/no.png)\n\nText [old](/old).\n',
      'old.mdx': '# Old\n\n![y](/no.png)\n',
    });
    const edit = (oldText: string, newText: string) =>
      world.use('edit_file', { path: 'a.mdx', edits: [{ oldText, newText }] });
    await edit('Text', 'Words');
    assert.match((await world.use('run_checks', {})).text, /^No new problems on 1 page\. 2 older problems/);
    await edit('Words', '![z](/no.png)');
    assert.match(
      (await world.use('run_checks', {})).text,
      /1 problem that your changes brought.*\na\.mdx, line 5/s,
    );
    await world.use('delete_file', { path: 'old.mdx' });
    const after = (await world.use('run_checks', {})).text;
    assert.match(after, /2 problems that your changes brought/);
    assert.match(after, /a\.mdx, line 5: The link leads nowhere: \/old/);
  });

  it('goes with a page that it moved', async () => {
    await using world = await toolWorld({
      'docs.json': mint('a'),
      'a.mdx': '![x](/no.png)\n',
      'b.mdx': '[a](/a) ![y](/no.png)\n',
      'm.mdx': '# M\n',
    });
    const moved = await world.use('move_file', { from: 'a.mdx', to: 'x/a.mdx' });
    assert.doesNotMatch(moved.text, /No navigation/);
    assert.match((await world.use('run_checks', {})).text, /^No new problems on 2 pages\. 2 older problems/);
    const unlisted = await world.use('move_file', { from: 'm.mdx', to: 'x/m.mdx' });
    assert.match(unlisted.text, /No navigation file named it\./);
  });

  it('is which links to a deleted page it cannot mend itself', async () => {
    await using world = await toolWorld(
      { 'docs/a.md': '# A\n', 'docs/b.md': '[a](a.md)\n', 'README.md': '# R\n\n[a](docs/a.md)\n' },
      { docsRoot: 'docs' },
    );
    const answer = await world.use('delete_file', { path: 'docs/a.md' });
    assert.match(
      answer.text,
      /2 pages still link to it.*\nREADME\.md \(may not be changed: tell it in your summary\), line 3\ndocs\/b\.md, line 1/s,
    );
    assert.match((await world.use('run_checks', {})).text, /^1 page checked\.\n1 problem that your changes/);
  });

  it('is whether the navigation lists a new page, and what it lists that is not there', async () => {
    await using world = await toolWorld({ 'docs.json': mint('a', 'none'), 'a.mdx': '# A\n' });
    const made = await world.use('write_file', { path: 'b.mdx', content: '# B\n' });
    assert.match(made.text, /No navigation file lists it \(docs\.json and what belongs to it\): add it/);
    const edit = (newText: string) =>
      world.use('edit_file', { path: 'docs.json', edits: [{ oldText: '"a",', newText: `"a",${newText}` }] });
    assert.match((await edit('"b",')).text, /Version \w+ now\.$/);
    assert.match(
      (await edit('"c/d",')).text,
      /Warning: it lists a page that is not there: c\/d \(line 5\)\./,
    );
    const listed = await world.use('write_file', { path: 'c/d.mdx', content: '# D\n' });
    assert.match(listed.text, /docs\.json lists it\.$/);
    await using plain = await toolWorld({ 'a.md': '# A\n' });
    assert.match((await plain.use('write_file', { path: 'b.md', content: '# B\n' })).text, /Version \w+\.$/);
  });

  it('comes as fast where every page has an anchor of that name', async () => {
    // Parsing one of the long pages takes about a second, so all of them several times what a test may take;
    // looking through their text takes milliseconds. Short are the page itself and its two neighbours by links.
    const page = (index: number, text: string): [string, string] => [
      `part/page-${index}.md`,
      `# Page ${index}\n\n## Steps\n\nSee [the next](page-${index + 1}.md#steps).\n\n${text}`,
    ];
    const long = 'w\n\n'.repeat(40_000);
    const pages = Array.from({ length: 400 }, (_, index) =>
      page(index, index >= 6 && index <= 8 ? 'w\n' : long),
    );
    await using world = await toolWorld({ ...Object.fromEntries(pages), 'part/page-400.md': '## Steps\n' });
    const answer = await world.use('edit_file', {
      path: 'part/page-7.md',
      edits: [{ oldText: '## Steps', newText: '## Way' }],
    });
    assert.match(answer.text, /Mend the 1 link:\npart\/page-6\.md, line 5$/);
  });
});

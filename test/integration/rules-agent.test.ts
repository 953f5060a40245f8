import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createRulesAgent } from '../../src/adapters/agents/rules/rules-agent.ts';
import { checkPages } from '../../src/docset/checks.ts';
import type { AgentResult, AgentTask } from '../../src/service/ports/agent.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import {
  changesBetween,
  docusaurusTree,
  mintlifyTree,
  mkdocsTree,
  readTree,
  writeTree,
} from '../support/docs-trees.ts';
import type { DocsTree } from '../support/docs-trees.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const never = new AbortController().signal;

function run(directory: string, prompt: string, task: Partial<AgentTask> = {}): Promise<AgentResult> {
  return createRulesAgent().run({
    prompt,
    earlier: [],
    directory,
    docsRoot: '',
    signal: never,
    onProgress: () => undefined,
    ...task,
  });
}

/** Runs a prompt on a project and gives what changed, file by file. */
async function changesOf(tree: DocsTree, prompt: string, task: Partial<AgentTask> = {}) {
  await using folder = await temporaryFolder();
  await writeTree(folder.path, tree);
  const before = await readTree(folder.path);
  const result = await run(folder.path, prompt, task);
  const after = await readTree(folder.path);
  return { ...result, changes: changesBetween(before, after), after };
}

async function refusal(tree: DocsTree, prompt: string, task: Partial<AgentTask> = {}): Promise<ServiceError> {
  await using folder = await temporaryFolder();
  await writeTree(folder.path, tree);
  const before = await readTree(folder.path);
  const error: unknown = await run(folder.path, prompt, task).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ServiceError, `no refusal of ${prompt}`);
  assert.equal(error.code, 'prompt_not_understood');
  assert.deepEqual(await readTree(folder.path), before);
  return error;
}

describe('The rules agent', () => {
  describe('replacing a term', () => {
    it('changes the prose of a Mintlify project and the links to renamed headings, nothing else', async () => {
      const { changes, after, summary, title } = await changesOf(
        mintlifyTree(),
        'Replace "log in" with "sign in"',
      );
      assert.equal(title, 'Replace "log in" with "sign in"');
      assert.deepEqual(changes['index.mdx'], {
        gone: [
          'title: Log in to Acme',
          'description: "How to log in"',
          '<Card title="Log in" href="/guides/log-in#log-in-with-a-token" icon="log in">',
          '  Please **log** in, or *log in*, before you start. See [how to log in](/guides/log-in).',
        ],
        come: [
          'title: Sign in to Acme',
          'description: "How to sign in"',
          '<Card title="Sign in" href="/guides/log-in#sign-in-with-a-token" icon="log in">',
          '  Please **sign** in, or *sign in*, before you start. See [how to sign in](/guides/log-in).',
        ],
      });
      assert.deepEqual(changes['guides/log-in.mdx'], {
        gone: [
          'title: Log in\r',
          '## Log in with a token\r',
          '1. Log\r',
          '2. LOG IN again. [Back](#log-in-with-a-token)\r',
          '  <Tab title="Log in">Log in here.</Tab>\r',
        ],
        come: [
          'title: Sign in\r',
          '## Sign in with a token\r',
          '1. Sign\r',
          '2. SIGN IN again. [Back](#sign-in-with-a-token)\r',
          '  <Tab title="Sign in">Sign in here.</Tab>\r',
        ],
      });
      assert.ok(
        after['guides/café.mdx']?.startsWith(
          '\uFEFF---\ntitle: Café\n---\n\nÜber alles: sign in at the café. [Sign in](./log-in)',
        ),
      );
      assert.deepEqual(Object.keys(changes).toSorted(), [
        'guides/café.mdx',
        'guides/log-in.mdx',
        'index.mdx',
        'reference/tokens.mdx',
        'snippets/note.mdx',
      ]);
      assert.match(summary, /Replaced `log in` with `sign in`: \d+ times on 5 pages/);
      assert.match(summary, /3 links to their anchors were changed too/);
      assert.match(summary, /cannot be parsed \(line 1.*`broken\.mdx`/);
      assert.match(summary, /`AGENTS\.md`/);
      assert.match(summary, /in the navigation or configuration \(`docs\.json`\)/);
    });

    it('goes into admonitions of MkDocs, not into code, and leaves a page of another encoding alone', async () => {
      const { changes, summary } = await changesOf(mkdocsTree(), 'Replace "log in" with "sign in"', {
        docsRoot: 'docs',
      });
      assert.deepEqual(changes, {
        'docs/index.md': {
          gone: ['!!! note "Log in first"', '    Log in before you start.', '    Then log in again.'],
          come: ['!!! note "Sign in first"', '    Sign in before you start.', '    Then sign in again.'],
        },
        'docs/guide/install.md': {
          gone: ['<summary>Log in</summary>'],
          come: ['<summary>Sign in</summary>'],
        },
      });
      assert.match(summary, /`docs\/latin\.md`, because it is not UTF-8/);
    });

    it('reads the Markdown of Docusaurus as MDX with comments and ids', async () => {
      const { changes } = await changesOf(docusaurusTree(), 'replace "set up" with "install"');
      assert.deepEqual(changes, {
        'docs/intro.md': {
          gone: [':::tip Set up tips', 'Set up your machine.'],
          come: [':::tip Install tips', 'Install your machine.'],
        },
        'docs/guide/setup.md': {
          gone: ['title: Set up', '<Tabs><TabItem value="set up" label="Set up">Set up</TabItem></Tabs>'],
          come: ['title: Install', '<Tabs><TabItem value="set up" label="Install">Install</TabItem></Tabs>'],
        },
        'docs/guide/usage.mdx': {
          gone: ['Before: [set up](./setup.md).'],
          come: ['Before: [install](./setup.md).'],
        },
      });
    });

    it('stays in the pages that were named', async () => {
      const prompt = 'Replace "log in" with "sign in" in guides/ and index.mdx except in guides/café.mdx';
      const { changes } = await changesOf(mintlifyTree(), prompt);
      assert.deepEqual(Object.keys(changes).toSorted(), [
        'guides/log-in.mdx',
        'index.mdx',
        'reference/tokens.mdx',
      ]);
      assert.deepEqual(changes['reference/tokens.mdx'], {
        gone: [
          'See [log in](/guides/log-in#log-in-with-a-token), [missing](/guides/log_in) and [typo](/reference/token#rotate-a-tokn).',
        ],
        come: [
          'See [log in](/guides/log-in#sign-in-with-a-token), [missing](/guides/log_in) and [typo](/reference/token#rotate-a-tokn).',
        ],
      });
    });

    it('says why when there is nothing to change', async () => {
      const nothing = await changesOf(mkdocsTree(), 'Replace "zebra" with "horse"');
      assert.deepEqual(nothing.changes, {});
      assert.match(nothing.summary, /none of the \d+ pages contains `zebra`/);
      const inCode = await changesOf({ 'a.md': '`zebra`\n' }, 'Replace "zebra" with "horse"');
      assert.match(inCode.summary, /only where I leave it alone[\s\S]*1 time in code/);
    });

    it('takes a follow-up for the earlier prompt in other places', async () => {
      const earlier = [{ prompt: 'Replace "log in" with "sign in" in guides/', summary: '' }];
      const { changes } = await changesOf(mintlifyTree(), 'also in index.mdx', { earlier });
      assert.deepEqual(Object.keys(changes), ['index.mdx']);
    });
  });

  describe('fixing links', () => {
    it('repairs pages and anchors that are surely meant, and lists the rest', async () => {
      const { changes, summary } = await changesOf(mintlifyTree(), 'fix broken links');
      assert.deepEqual(changes, {
        'reference/tokens.mdx': {
          gone: [
            'See [log in](/guides/log-in#log-in-with-a-token), [missing](/guides/log_in) and [typo](/reference/token#rotate-a-tokn).',
          ],
          come: [
            'See [log in](/guides/log-in#log-in-with-a-token), [missing](/guides/log-in) and [typo](/reference/tokens#rotate-a-token).',
          ],
        },
      });
      assert.match(summary, /Fixed 2 broken links on 1 page/);
      assert.match(summary, /`\/images\/shot\.png`: there is no such file/);
    });

    it('guesses at nothing between two headings and finds no link in code', async () => {
      const { changes, summary } = await changesOf(mkdocsTree(), 'fix broken links', { docsRoot: 'docs' });
      assert.deepEqual(changes, {
        'docs/guide/install.md': {
          gone: [
            'Next: [usage](usage.md), [gone](../guide/instal.md), [typo](#requirement), ![shot](../img/shot.png)',
          ],
          come: [
            'Next: [usage](usage.md), [gone](install.md), [typo](#requirements), ![shot](../img/shot.png)',
          ],
        },
      });
      assert.match(summary, /`#first-run_7`: the page has no heading like that/);
      assert.doesNotMatch(summary, /nowhere\.md/);
    });

    it('says so when all is well', async () => {
      const { changes, summary } = await changesOf(
        { 'a.md': '[b](b.md)\n', 'b.md': '# B\n\n[b](#b)\n' },
        'fix broken links',
      );
      assert.deepEqual(changes, {});
      assert.match(summary, /the links of 2 pages lead somewhere/);
    });
  });

  describe('renaming a page', () => {
    it('takes links, navigation and a redirect along in Mintlify', async () => {
      const { changes, after, title } = await changesOf(
        mintlifyTree(),
        'rename page guides/log-in to access/sign-in',
      );
      assert.equal(title, 'Rename log-in.mdx to access/sign-in.mdx');
      assert.equal(changes['guides/log-in.mdx'], 'deleted');
      assert.equal(after['access/sign-in.mdx'], mintlifyTree()['guides/log-in.mdx']);
      assert.match(
        after['index.mdx'] ?? '',
        /href="\/access\/sign-in#log-in-with-a-token"[\s\S]*\[how to log in\]\(\/access\/sign-in\)/,
      );
      assert.match(
        after['guides/café.mdx'] ?? '',
        /\[Log in\]\(\.\.\/access\/sign-in\) or \[tokens\]\(\.\.\/reference\/tokens\)/,
      );
      const config = JSON.parse(after['docs.json'] ?? '') as { navigation: object; redirects: object[] };
      assert.match(JSON.stringify(config.navigation), /"index","access\/sign-in","guides\/café"/);
      assert.deepEqual(config.redirects, [
        { source: '/old-login', destination: '/access/sign-in' },
        { source: '/guides/log-in', destination: '/access/sign-in' },
      ]);
      assert.match(after['docs.json'] ?? '', /\n {4}\{\n {6}"source": "\/guides\/log-in",\n/);
    });

    it('takes sidebars, imports and the redirects plugin along in Docusaurus', async () => {
      const { after } = await changesOf(docusaurusTree(), 'rename page guide/setup to install/prepare');
      assert.match(
        after['docs/intro.md'] ?? '',
        /\(\.\/install\/prepare\.md#requirements\) and \[usage\]\(guide\/usage\), or \[by address\]\(\/docs\/install\/prepare\/\)/,
      );
      assert.match(
        after['docs/install/prepare.md'] ?? '',
        /\[use it\]\(\.\.\/guide\/usage\.mdx\) and go \[back\]\(\.\.\/intro\.md\)/,
      );
      assert.match(
        after['docs/guide/usage.mdx'] ?? '',
        /import Setup from '\.\.\/install\/prepare\.md';[\s\S]*\[set up\]\(\.\.\/install\/prepare\.md\)/,
      );
      assert.match(
        after['sidebars.js'] ?? '',
        /\/\/ 'guide\/setup' is[\s\S]*label: 'guide\/setup', items: \["install\/prepare", 'guide\/usage'\]/,
      );
      assert.match(
        after['docusaurus.config.js'] ?? '',
        /\{ from: '\/docs\/guide\/setup', to: '\/docs\/install\/prepare' \},\n {10}\{ from: '\/docs\/older'/,
      );
      assert.match(
        after['docusaurus.config.js'] ?? '',
        /\{ label: 'setup', to: '\/docs\/install\/prepare' \}/,
      );
    });

    it('takes nav, reference links and redirect_maps along in MkDocs', async () => {
      const { changes, after } = await changesOf(
        mkdocsTree(),
        'move page guide/install.md to setup/install.md',
        { docsRoot: 'docs' },
      );
      assert.deepEqual(changes['mkdocs.yml'], {
        gone: ['      - Install: guide/install.md   # the first step', '        setup.md: guide/install.md'],
        come: [
          '      - Install: setup/install.md   # the first step',
          '        setup.md: setup/install.md',
          '        guide/install.md: setup/install.md',
        ],
      });
      assert.match(after['docs/index.md'] ?? '', /\[install\]: setup\/install\.md#requirements/);
      assert.match(
        after['docs/setup/install.md'] ?? '',
        /\[usage\]\(\.\.\/guide\/usage\.md\), \[gone\]\(\.\.\/guide\/instal\.md\), \[typo\]\(#requirement\), !\[shot\]\(\.\.\/img\/shot\.png\)/,
      );
    });

    it('finds a page by its title and keeps it in its folder', async () => {
      const { changes } = await changesOf(mintlifyTree(), 'rename the page "Tokens" to "API tokens"');
      assert.equal(changes['reference/api-tokens.mdx'], 'added');
    });

    it('refuses what is not there, not unique, taken, protected or outside', async () => {
      const tree = { ...mintlifyTree(), 'a/same.mdx': 'x\n', 'b/same.mdx': 'x\n' };
      assert.match((await refusal(tree, 'rename page nowhere to x')).message, /no page "nowhere"/);
      assert.match((await refusal(tree, 'rename page same to other')).message, /Several pages/);
      assert.match((await refusal(tree, 'rename page index to guides/log-in')).message, /already/);
      assert.match((await refusal(tree, 'rename page index to ../outside')).message, /inside the docs/);
      assert.match((await refusal(tree, 'rename page index to .github/x')).message, /cannot be called/);
      assert.match((await refusal(tree, 'rename page AGENTS to agents-page')).message, /no page/);
    });
  });

  describe('tidying Markdown', () => {
    it('tidies without changing what a page means', async () => {
      const tree = {
        'a.md':
          '\uFEFF# A \r\n\r\n\r\n\r\nText \r\nhard  \r\nbreak [ link ](x)\r\n\r\n```\r\ncode \r\n\r\n\r\n```\r\n##  B',
        'b.md': '#1 is no heading\n',
        'c.mdx': '<A b={`x \n\n\n y`} />\n\n\n\ntext \n',
      };
      const { after, summary } = await changesOf(tree, 'tidy Markdown');
      assert.equal(
        after['a.md'],
        '\uFEFF# A\r\n\r\nText\r\nhard  \r\nbreak [link](x)\r\n\r\n```\r\ncode \r\n\r\n\r\n```\r\n## B\r\n',
      );
      assert.equal(after['b.md'], tree['b.md']);
      assert.equal(after['c.mdx'], '<A b={`x \n\n\n y`} />\n\ntext\n');
      assert.match(summary, /`b\.md`, because its meaning would change/);
    });
  });

  describe('applying terms', () => {
    const page = {
      'docs/a.md': 'Use e-mail, E-mail, whitelist and utilise. `e-mail`\n',
      'docs/fr/a.md': 'un e-mail\n',
      'docs/es/a.md': 'un e-mail\n',
    };

    it('reads a CSV list and leaves other languages alone', async () => {
      const { changes, summary } = await changesOf(
        { ...page, 'terms.csv': 'avoid,use\n"e-mail",email\nwhitelist,allowlist\n' },
        'apply terms',
      );
      assert.deepEqual(changes, {
        'docs/a.md': {
          gone: ['Use e-mail, E-mail, whitelist and utilise. `e-mail`'],
          come: ['Use email, Email, allowlist and utilise. `e-mail`'],
        },
      });
      assert.match(summary, /2 pages in other languages were left alone/);
    });

    it('reads substitution rules of Vale without running their patterns', async () => {
      const rules = `extends: substitution
ignorecase: true
swap:
  '(?:e-mail|E-mail)s?': email
  utili[sz]e: use
  '(a+)+$': evil
  whitelist: allowlist|safelist
`;
      const tree = {
        ...page,
        '.vale.ini': 'StylesPath = .styles\n',
        '.styles/House/Terms.yml': rules,
        '.styles/House/Other.yml': 'extends: existence\ntokens: [a]\n',
      };
      const { after, summary } = await changesOf(tree, 'apply the Vale rules');
      assert.equal(after['docs/a.md'], 'Use email, Email, whitelist and use. `e-mail`\n');
      assert.match(summary, /\(a\+\)\+\$: the pattern is more than a list of spellings/);
      assert.match(summary, /whitelist: several words may stand for it/);
    });

    it('says what it looks for when there is no list', async () => {
      assert.match((await refusal(page, 'apply terms')).message, /terms\.csv/);
      assert.match((await refusal(page, 'apply terms from nowhere.csv')).message, /nowhere\.csv/);
      assert.match((await refusal(page, 'apply terms from ../x.csv')).message, /no term list/);
    });
  });

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
    assert.match(error.message, /Docs Agent: Choose Service…/);
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
    await assert.rejects(run(folder.path, 'fix broken links', { docsRoot: '../..' }));
  });

  it('never follows a symbolic link', async function () {
    if (process.platform === 'win32') this.skip();
    await using outside = await temporaryFolder();
    await writeTree(outside.path, { 'a.md': 'log in\n' });
    await using folder = await temporaryFolder();
    await writeTree(folder.path, { 'docs/b.md': 'log in\n' });
    await symlink(outside.path, path.join(folder.path, 'docs', 'linked'));
    await symlink(path.join(outside.path, 'a.md'), path.join(folder.path, 'docs', 'a.md'));
    await run(folder.path, 'replace "log in" with "sign in"');
    assert.deepEqual(await readTree(outside.path), { 'a.md': 'log in\n' });
    await assert.rejects(run(folder.path, 'rename page docs/b to docs/linked/b'), ServiceError);
    assert.deepEqual(await readTree(outside.path), { 'a.md': 'log in\n' });
  });

  it('stops at once when it is told to', async () => {
    await using folder = await temporaryFolder();
    const tree = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}.md`, 'log in\n']));
    await writeTree(folder.path, tree);
    const stop = new AbortController();
    const running = run(folder.path, 'replace "log in" with "sign in"', {
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

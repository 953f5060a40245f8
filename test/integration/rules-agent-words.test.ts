import assert from 'node:assert/strict';
import { docusaurusTree, mintlifyTree, mkdocsTree } from '../support/docs-trees.ts';
import { changesOf, refusal } from '../support/rules-agent.ts';

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
      const onOne = await changesOf({ 'a.md': 'A cow\n' }, 'Replace "zebra" with "horse"');
      assert.match(onOne.summary, /the one page that I searched does not contain `zebra`/);
      const inCode = await changesOf({ 'a.md': '`zebra`\n' }, 'Replace "zebra" with "horse"');
      assert.match(inCode.summary, /only where I leave it alone[\s\S]*1 time in code/);
    });

    it('takes a follow-up for the earlier prompt in other places', async () => {
      const earlier = [{ prompt: 'Replace "log in" with "sign in" in guides/', summary: '' }];
      const { changes } = await changesOf(mintlifyTree(), 'also in index.mdx', { earlier });
      assert.deepEqual(Object.keys(changes), ['index.mdx']);
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

  it('replaces words of languages that put no spaces between them', async () => {
    const { after } = await changesOf(
      { 'zh/a.md': '# 使用API\n\n日本語のログイン。[API密钥](#使用api)\n' },
      'replace "API" with "接口", then replace "ログイン" with "サインイン"',
    );
    assert.equal(after['zh/a.md'], '# 使用接口\n\n日本語のサインイン。[接口密钥](#使用接口)\n');
  });

  describe('parts of a page that are no place', () => {
    it('are told how to be reached', async () => {
      const error = await refusal({ 'a.md': '`a`\n' }, 'replace "a" with "b" in code');
      assert.match(error.message, /no folder called "code"[^\n]*say "also in code"\. Nothing was changed\./);
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

    const vale = {
      '.vale.ini': 'StylesPath = styles\n',
      'styles/House/Terms.yml': 'extends: substitution\nignorecase: true\nswap:\n  utilise: use\n',
    };

    it('is not kept from the rules of Vale by a page about terms', async () => {
      const tree = { ...vale, 'mkdocs.yml': 'site_name: x\n', 'docs/a.md': 'Utilise an API.\n' };
      const glossary = '| Term | Definition |\n|---|---|\n| API | A way in |\n';
      for (const text of ['# Terms of service\n', glossary]) {
        const { after } = await changesOf({ ...tree, 'docs/terms.md': text }, 'apply terms');
        assert.equal(after['docs/a.md'], 'Use an API.\n');
      }
      const without = { 'mkdocs.yml': 'site_name: x\n', 'docs/a.md': 'An API.\n', 'docs/terms.md': glossary };
      assert.match((await refusal(without, 'apply terms')).message, /cannot read `docs\/terms\.md` as one/);
    });

    it('takes the rules of Vale when these are named, though there is a list', async () => {
      const tree = { ...vale, 'terms.csv': 'avoid,use\nAPI,interface\n', 'a.md': 'Utilise an API.\n' };
      assert.equal((await changesOf(tree, 'apply the Vale rules')).after['a.md'], 'Use an API.\n');
      assert.equal((await changesOf(tree, 'apply terms')).after['a.md'], 'Utilise an interface.\n');
      const without = { 'terms.csv': 'avoid,use\nAPI,interface\n', 'a.md': 'An API.\n' };
      assert.match(
        (await refusal(without, 'apply terms from Vale')).message,
        /no substitution rules of Vale/,
      );
    });

    it('says what it looks for when there is no list', async () => {
      assert.match((await refusal(page, 'apply terms')).message, /terms\.csv/);
      assert.match((await refusal(page, 'apply terms from nowhere.csv')).message, /nowhere\.csv/);
      assert.match((await refusal(page, 'apply terms from ../x.csv')).message, /no term list/);
    });
  });
});

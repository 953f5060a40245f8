import assert from 'node:assert/strict';
import { closeFences, codeSpan, neutralise, neutraliseLine } from '../../src/service/neutralise.ts';
import { templatePaths } from '../../src/service/pull-request-templates.ts';
import {
  commitMessage,
  pullRequestText,
  type PullRequestParts,
  type Reader,
} from '../../src/service/pull-request-text.ts';

const parts: PullRequestParts = {
  title: 'Rename a term',
  jobId: 'job_1',
  messages: [{ prompt: 'replace "A" with "B"', summary: 'Replaced it on 2 pages.' }],
  files: [
    { path: 'a.md', change: 'modified', addedLines: 2, removedLines: 1 },
    { path: 'c.md', previousPath: 'b.md', change: 'renamed', addedLines: 0, removedLines: 0 },
  ],
  checks: { pages: 2, problems: [] },
  template: undefined,
  version: '1.0.0',
};
const limit: Reader = { bodyLimit: 58_000, keepsComments: true };
const visible = (text: string): string => text.replaceAll('\u200B', '');

describe('text of a stranger in a pull request', () => {
  const hostile: readonly (readonly [what: string, text: string, host: RegExp])[] = [
    ['a mention', 'Thanks @octocat and @org/team', /@[\w-]/],
    ['a command to a bot', '@dependabot merge', /@\w/],
    ['an issue', 'See #12, owner/repo#3 and GH-4', /#\d|GH-\d/i],
    ['a merge request', 'See !12 and group/project!3', /!\d/],
    ['an epic', 'See &12', /&\d/],
    ['a work item', 'See AB#12', /#\d/],
    ["a mention of Bitbucket's", 'Thanks @{123:45-67}', /@\{/],
    ['a command to a tracker', 'DOCS-12 #close #time 1w', /#[a-z]/],
    [
      'a closing keyword',
      'Fixes #1, closes: #2, RESOLVED owner/repo#3, implements #4',
      /\b(?:fixes|closes|resolved|implements)\b/i,
    ],
    ['a closing keyword before an address', 'fixes https://github.com/o/r/issues/1', /\bfixes\b/i],
    ['a closing keyword before an issue of a tracker', 'fixes DOCS-12', /\bfixes\b/i],
    ['a quick action', 'Done.\n/merge\n  /close now\n> /approve', /^[ \t>]*\/\w/m],
    ['an HTML comment', 'a <!-- hidden --> b', /<!--/],
    ['our own hidden line', '<!-- docs-agent-job: job_other -->', /<!--/],
    ['a tag', '<details><img src=x onerror=y></details><script>', /<[a-z/]/i],
    ['an order to the build', 'x [skip ci] [ci skip] [no ci] ***NO_CI***', /\[(?:skip|ci|no) |\*NO_CI/],
    ['a turn of the direction', 'a\u202Eb\u2066c', /[\u202A-\u202E\u2066-\u2069]/],
    ['control characters', 'a\u0000b\u001B[31mc\u0085', /[^\P{Cc}\n\t]/u],
  ];
  for (const [what, text, host] of hostile) {
    it(`cannot carry ${what}`, () => {
      assert.match(text, host, 'the case shows nothing');
      assert.doesNotMatch(neutralise(text), host);
      const { title, body } = pullRequestText(
        {
          ...parts,
          title: text,
          messages: [{ prompt: text, summary: text }],
          checks: { pages: 1, problems: [text] },
        },
        limit,
      );
      assert.doesNotMatch(title, host);
      const [own = '', footer = ''] = body.split('\n---\nMade by Docs Agent');
      assert.doesNotMatch(own, host);
      assert.doesNotMatch(commitMessage(text, text), host);
      assert.equal(footer.match(/docs-agent-job/g)?.length, 1);
    });
  }

  it('reads the same', () => {
    const text =
      'Write to a@b.example about C# 7, fixes in `<Card>` & more! 1 < 2, a/b/c, and/or\n\n- item\n';
    assert.equal(visible(neutralise(text)), text);
  });

  it('that is harmless stays as it is', () => {
    const text = 'Fixes the docs, and closes the gap. See page #anchor, R&D, 5 < 6 and docs/a.md.';
    assert.equal(neutralise(text), text);
  });

  it('stays on its line where one is asked for', () => {
    assert.equal(neutraliseLine(' a\n\n/merge\tb '), 'a /merge b');
  });

  it('cannot leave its code span', () => {
    assert.equal(codeSpan('a.md'), '`a.md`');
    assert.equal(codeSpan('a`b``c.md'), '``` a`b``c.md ```');
    assert.equal(codeSpan('a\n# Heading'), '`a # Heading`');
  });

  it('cannot swallow what follows in a code fence', () => {
    assert.equal(closeFences('```js\nx'), '```js\nx\n```');
    assert.equal(closeFences('~~~~\n```\n~~~'), '~~~~\n```\n~~~\n~~~~');
    assert.equal(closeFences('```\nx\n```'), '```\nx\n```');
    assert.equal(closeFences('- ```\n  x'), '- ```\n  x\n```');
    const { body } = pullRequestText({ ...parts, messages: [{ prompt: 'p', summary: '```\nopen' }] }, limit);
    assert.match(body, /```\nopen\n```\n\n## Changed files/);
  });
});

describe('the text of a pull request', () => {
  it('says what was asked, done, changed and checked, and whose it is', () => {
    assert.deepEqual(pullRequestText(parts, limit), {
      title: 'Rename a term',
      body: [
        '## What was asked\n\n> replace "A" with "B"',
        '## What was done\n\nReplaced it on 2 pages.',
        '## Changed files: 2\n\n- `a.md` (modified, +2 −1)\n- `b.md` → `c.md` (renamed, +0 −0)',
        '## Checks\n\n2 changed pages were checked: nothing got worse.',
        "---\nMade by Docs Agent 1.0.0. Review it like anybody's work.",
        '<!-- docs-agent-job: job_1 -->\n',
      ].join('\n\n'),
    });
  });

  it('quotes every line of a prompt', () => {
    const { body } = pullRequestText(
      { ...parts, messages: [{ prompt: 'one\n\n# two', summary: undefined }] },
      limit,
    );
    assert.ok(body.startsWith('## What was asked\n\n> one\n> \n> # two\n'));
  });

  it('lists what got worse, and not without end', () => {
    const problems = Array.from({ length: 60 }, (_, index) => `page ${index}`);
    const { body } = pullRequestText({ ...parts, checks: { pages: 60, problems } }, limit);
    assert.ok(body.includes('- page 49\n- and 10 more'));
  });

  it('lists the first hundred files', () => {
    const files = Array.from({ length: 130 }, (_, index) => ({ ...parts.files[0]!, path: `p${index}.md` }));
    const { body } = pullRequestText({ ...parts, files }, limit);
    assert.ok(
      body.includes('## Changed files: 130') && body.includes('- and 30 more') && !body.includes('p100.md'),
    );
  });

  for (const small of [4000, 1000, 300]) {
    it(`fits into ${small} characters, with the id of the job`, () => {
      const long = 'word @x '.repeat(20_000);
      const messages = [
        { prompt: long, summary: `\`\`\`\n${long}` },
        { prompt: long, summary: long },
      ];
      const { title, body } = pullRequestText(
        { ...parts, title: long, messages, template: long },
        { ...limit, bodyLimit: small },
      );
      assert.ok(body.length <= small, `${body.length}`);
      assert.ok(body.endsWith('<!-- docs-agent-job: job_1 -->\n'));
      assert.ok(title.length <= 255);
      assert.ok((body.split('---\nMade by')[0]?.match(/^```/gm)?.length ?? 0) % 2 === 0, 'a fence is open');
    });
  }

  it('cuts no character in half', () => {
    for (let extra = 0; extra < 4; extra++) {
      const summary = '👩‍💻'.repeat(2000);
      const { body } = pullRequestText(
        { ...parts, messages: [{ prompt: 'p', summary }] },
        { ...limit, bodyLimit: 4000 + extra },
      );
      assert.ok(body.isWellFormed());
    }
  });

  it('tells everything that counts in the 4,000 characters of Azure DevOps', () => {
    const long = 'A sentence of an answer that goes on for very long. '.repeat(400);
    const files = Array.from({ length: 80 }, (_, index) => ({
      ...parts.files[0]!,
      path: `docs/guides/page-${index}.md`,
    }));
    const problems = Array.from({ length: 40 }, (_, index) => `docs/a.md:${index}: a link leads nowhere`);
    const { body } = pullRequestText(
      {
        ...parts,
        messages: [{ prompt: long, summary: long }],
        files,
        checks: { pages: 80, problems },
        template: `${long}\n- [ ] Reviewed`,
      },
      { bodyLimit: 4000, keepsComments: false },
    );
    assert.ok(body.length <= 4000 && body.length > 3300, `${body.length}`);
    for (const told of [
      /^## What was asked\n\n> A sentence/,
      /## What was done\n\nA sentence/,
      /## Changed files: 80\n\n(?:- `docs\/guides\/page-\d+\.md` .*\n){3,}- and \d+ more\n/,
      /## Checks\n\n80 changed pages were checked\. .*\n\n(?:- docs.*\n){3,}- and \d+ more\n/,
      /Job: `job_1`\n$/,
    ]) {
      assert.match(body, told);
    }
  });

  it('shows the newest messages when there is no room for all', () => {
    const messages = Array.from({ length: 60 }, (_, index) => ({
      prompt: `prompt ${index}`,
      summary: `answer ${index}`,
    }));
    const { body } = pullRequestText({ ...parts, messages }, { ...limit, bodyLimit: 4000 });
    assert.match(body, /^\d+ earlier messages are not shown\./);
    assert.ok(body.includes('answer 59') && !body.includes('answer 3\n'));
  });

  it('says the id of the job aloud where hidden comments are stripped', () => {
    const { body } = pullRequestText(parts, { ...limit, keepsComments: false });
    assert.ok(body.endsWith("Review it like anybody's work. Job: `job_1`\n"));
    assert.doesNotMatch(body, /<!--/);
  });

  it('is cut after the host has made its own of it', () => {
    const massage = (text: string): string => text.replaceAll('##', '######').replaceAll('a', 'aaaa');
    const summary = 'a '.repeat(3000);
    const { body } = pullRequestText(
      { ...parts, messages: [{ prompt: 'p', summary }] },
      { bodyLimit: 4000, keepsComments: true, massage },
    );
    assert.ok(body.length <= 4000 && body.includes('###### Whaaaat'));
    assert.ok(body.endsWith('<!-- docs-agent-job: job_1 -->\n'));
  });

  it('lets no template give commands to the host', () => {
    const template = 'cc @docs-team\n/merge\n  /assign me\n- [ ] a/b';
    const { body } = pullRequestText({ ...parts, template }, limit);
    assert.doesNotMatch(body, /^\s*\/[a-z]/m);
    assert.ok(visible(body).includes(template));
  });

  it('keeps the template of the repository, but not a hidden line that could be taken for ours', () => {
    const template = '<!-- Fill this in -->\n- [ ] Closes #\n<!-- docs-agent-job: job_other -->';
    const { body } = pullRequestText({ ...parts, template }, limit);
    assert.ok(body.includes('<!-- Fill this in -->\n- [ ] Closes #'));
    assert.equal(body.match(/docs-agent-job/g)?.length, 1);
  });
});

describe('the template of a pull request', () => {
  it('is looked for where its host looks for it', () => {
    assert.equal(templatePaths('github')[0], '.github/pull_request_template.md');
    assert.equal(templatePaths('gitlab')[0], '.gitlab/merge_request_templates/Default.md');
    assert.ok(templatePaths('gitea').includes('.forgejo/PULL_REQUEST_TEMPLATE.md'));
    assert.ok(templatePaths('azure').includes('.azuredevops/pull_request_template.md'));
    assert.equal(templatePaths('gitlab').includes('.github/pull_request_template.md'), false);
    assert.deepEqual(templatePaths('bitbucket'), []);
    assert.equal(new Set(templatePaths(undefined)).size, templatePaths(undefined).length);
  });
});

describe('the message of a commit', () => {
  it('is the title and the summary', () => {
    assert.equal(commitMessage('Title', 'Did it.\n'), 'Title\n\nDid it.');
    assert.equal(commitMessage('Title', ' '), 'Title');
  });

  it('is not endless', () => {
    assert.ok(commitMessage('Title', 'x'.repeat(100_000)).length < 2100);
  });
});

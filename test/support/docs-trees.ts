import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Files of a docs project: path with `/` → content. Built in code, because git may change line endings. */
export type DocsTree = Readonly<Record<string, string | Uint8Array>>;

export async function writeTree(folder: string, tree: DocsTree): Promise<void> {
  for (const [name, content] of Object.entries(tree)) {
    const file = path.join(folder, ...name.split('/'));
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/** Every file below a folder as text, for comparing the whole of a project before and after. */
export async function readTree(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: Record<string, string> = {};
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = path.join(entry.parentPath, entry.name);
    files[path.relative(folder, file).split(path.sep).join('/')] = await readFile(file, 'utf8');
  }
  return files;
}

/** The files that differ, with the lines that were taken away and put in. */
export function changesBetween(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, { gone: string[]; come: string[] } | 'added' | 'deleted'> {
  const changes: Record<string, { gone: string[]; come: string[] } | 'added' | 'deleted'> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const old = before[name];
    const fresh = after[name];
    if (old === fresh) continue;
    if (old === undefined) changes[name] = 'added';
    else if (fresh === undefined) changes[name] = 'deleted';
    else {
      const oldLines = old.split('\n');
      const newLines = fresh.split('\n');
      changes[name] = {
        gone: oldLines.filter((line) => !newLines.includes(line)),
        come: newLines.filter((line) => !oldLines.includes(line)),
      };
    }
  }
  return changes;
}

const crlf = (text: string): string => text.replaceAll('\n', '\r\n');

/** A Mintlify project with components, a snippet, CRLF, a byte order mark and names that are not ASCII. */
export function mintlifyTree(): DocsTree {
  return {
    'docs.json': `{
  "name": "Acme",
  "theme": "mint",
  "navigation": {
    "tabs": [
      {
        "tab": "Log in guides",
        "groups": [
          { "group": "Start", "pages": ["index", "guides/log-in", "guides/café"] },
          { "group": "Reference", "pages": ["reference/tokens"] }
        ]
      }
    ]
  },
  "redirects": [
    {
      "source": "/old-login",
      "destination": "/guides/log-in"
    }
  ]
}
`,
    'index.mdx': `---
title: Log in to Acme
description: "How to log in"
slug: log in
---
import Note from '/snippets/note.mdx'

# Welcome

<Card title="Log in" href="/guides/log-in#log-in-with-a-token" icon="log in">
  Please **log** in, or *log in*, before you start. See [how to log in](/guides/log-in).
</Card>

<Note data={{ text: "log in" }} />

{/* log in */}

Go on with [tokens](/reference/tokens#rotate-a-token) or [the café](/guides/caf%C3%A9).
`,
    'guides/log-in.mdx': crlf(`---
title: Log in
---

## Log in with a token

1. Log
   in with \`acme log in\`.

   \`\`\`sh
   acme log in
   \`\`\`

2. LOG IN again. [Back](#log-in-with-a-token)

<Tabs>
  <Tab title="Log in">Log in here.</Tab>
</Tabs>
`),
    'guides/café.mdx': `\uFEFF---
title: Café
---

Über alles: log in at the café. [Log in](./log-in) or [tokens](../reference/tokens).
`,
    'reference/tokens.mdx': `---
title: Tokens
---

## Rotate a token

See [log in](/guides/log-in#log-in-with-a-token), [missing](/guides/log_in) and [typo](/reference/token#rotate-a-tokn).
![shot](/images/shot.png)
`,
    'snippets/note.mdx': 'Log in first.\n',
    'broken.mdx': 'Log in { here.\n',
    'AGENTS.md': 'Log in carefully.\n',
    '.github/pull_request_template.md': 'Log in?\n',
  };
}

/** A Docusaurus project with MDX in `.md`, HTML comments, explicit ids, a sidebar and the redirects plugin. */
export function docusaurusTree(): DocsTree {
  return {
    'package.json': '{ "name": "site" }\n',
    'docusaurus.config.js': `module.exports = {
  title: 'Site',
  plugins: [
    [
      '@docusaurus/plugin-client-redirects',
      {
        redirects: [
          { from: '/docs/older', to: '/docs/intro' },
        ],
      },
    ],
  ],
  themeConfig: { navbar: { items: [{ label: 'setup', to: '/docs/guide/setup' }] } },
};
`,
    'sidebars.js': `// 'guide/setup' is the first page
module.exports = {
  docs: ['intro', { type: 'category', label: 'guide/setup', items: ["guide/setup", 'guide/usage'] }],
};
`,
    'docs/intro.md': `---
sidebar_position: 1
---
# Intro

<!-- The set up comment -->

Read [the setup](./guide/setup.md#requirements) and [usage](guide/usage), or [by address](/docs/guide/setup/).

:::tip Set up tips
Set up your machine.
:::
`,
    'docs/guide/setup.md': `---
title: Set up
---

## What you need {#requirements}

Then [use it](./usage.mdx) and go [back](../intro.md).

<Tabs><TabItem value="set up" label="Set up">Set up</TabItem></Tabs>
`,
    'docs/guide/usage.mdx': `import Setup from './setup.md';

# Usage

Before: [set up](./setup.md).
`,
    'static/img/logo.svg': '<svg/>\n',
  };
}

/** A MkDocs project with admonitions, reference links, `nav`, the redirects plugin and awkward Markdown. */
export function mkdocsTree(): DocsTree {
  return {
    'mkdocs.yml': `site_name: Acme
nav:
  - Home: index.md
  - Guide:
      - Install: guide/install.md   # the first step
      - 'guide/usage.md'
plugins:
  - search
  - redirects:
      redirect_maps:
        setup.md: guide/install.md
markdown_extensions:
  - toc:
      slugify: !!python/name:pymdownx.slugs.uslugify
`,
    'docs/index.md': `Home
====

Start with [install][] or [usage](guide/usage.md#first-run).

!!! note "Log in first"
    Log in before you start.

    \`\`\`sh
    log in

    log in
    \`\`\`

    Then log in again.

[install]: guide/install.md#requirements
`,
    'docs/guide/install.md': `# Install

## Requirements

    log in

\`\`\`\`md
\`\`\`
log in
\`\`\`
[not a link](nowhere.md)
\`\`\`\`

Next: [usage](usage.md), [gone](../guide/instal.md), [typo](#requirement), ![shot](../img/shot.png)

<details>
<summary>Log in</summary>
<pre>log in</pre>
</details>
`,
    'docs/guide/usage.md': `# Usage

## First run

## First run

Again: [second](#first-run_1), [wrong](#first-run_7), [up](../index.md)
`,
    'docs/img/shot.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0),
    'docs/latin.md': Buffer.from('Log in café\n', 'latin1'),
  };
}

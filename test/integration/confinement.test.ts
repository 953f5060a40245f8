import assert from 'node:assert/strict';
import { mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { ToolName } from '../../src/adapters/agents/model/tools/tool-table.ts';
import { createPageTools } from '../../src/adapters/agents/model/tools/page-tools.ts';
import { createRulesAgent } from '../../src/adapters/agents/rules/rules-agent.ts';
import { readTree, writeTree } from '../support/docs-trees.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const seeds = [1, 20, 300, 4_000, 50_000, 600_000];
const callsOfSeed = 200;

/** What nobody may read or change, by its path above the workspace `w`. */
const forbidden = {
  'outside/secret.md': 'secret-outside\n',
  'outside/deep/page.md': 'secret-deep\n',
  'w2/page.md': 'secret-neighbour\n',
  'w/.git/config': 'secret-git\n',
  'w/.git/hooks/pre-commit': 'secret-hook\n',
  'w/.env': 'secret-env\n',
  'w/docs/key.pem': 'secret-pem\n',
} as const;

/** What may be read, and not be changed. */
const fixed = {
  'w/README.md': 'read me\n',
  'w/AGENTS.md': 'instructions\n',
  'w/.github/workflows/ci.yml': 'on: push\n',
  'w/docs/.vscode/settings.json': '{}\n',
  'w/docs/CLAUDE.md': 'instructions\n',
} as const;

/** Numbers below 1, the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const parts = [
  'docs', 'a.md', 'b.mdx', 'guides', '..', '.', '', '...', 'out', 'loop', 'file.md', 'up', 'secret.md', 'deep', 'page.md',
  'w', 'w2', '.git', 'config', 'hooks', 'pre-commit', '.env', 'key.pem', 'README.md', 'AGENTS.md', 'CLAUDE.md',
  '.github', 'workflows', 'ci.yml', '.vscode', 'settings.json', '~', 'C:', 'nul', 'COM1.md', 'new.md', 'x'.repeat(260),
]; // prettier-ignore

/** Ways to spell a part otherwise that some file system, library or decoder takes for the same. */
const disguises: readonly ((part: string) => string)[] = [
  (part) => part.toUpperCase(),
  (part) => `${part}.`,
  (part) => `${part} `,
  (part) => ` ${part}`,
  (part) => `${part}::$DATA`,
  (part) => `${part}\0`,
  (part) => `${part}\n`,
  (part) => encodeURIComponent(part).replaceAll('.', '%2e'),
  (part) => part.replaceAll('.', '\uFF0E'),
  (part) => part.replaceAll('.', '\u2024'),
  (part) => part.replace('i', '\u0131'),
  (part) => `${part.slice(0, 1)}\u200C${part.slice(1)}`,
  (part) => part.normalize('NFKD'),
  (part) => `${part.slice(0, 6).toUpperCase()}~1`,
];

const joints = ['/', '/', '/', '/', '//', '/./', '\\', '/../', '\u2215', '%2f'];
const beginnings = ['', '', '', '', './', '/', '//', '~/', 'file://', 'C:/', '\\\\?\\', '../', '../../'];

describe('Nasty paths', () => {
  for (const seed of seeds) {
    it(`reach nothing that is not the job's (seed ${seed})`, async () => {
      await using folder = await temporaryFolder();
      const workspace = path.join(folder.path, 'w');
      await writeTree(folder.path, {
        ...forbidden,
        ...fixed,
        'w/docs/a.md': '# A\n\n[b](b.mdx)\n',
        'w/docs/b.mdx': '# B\n',
        'w/docs/guides/page.md': '# Page\n',
      });
      await mkdir(path.join(workspace, 'docs', 'deep'));
      const links = { out: '../../outside', 'file.md': '../../outside/secret.md', loop: 'loop', up: '../..' };
      for (const [name, target] of Object.entries(links))
        await symlink(target, path.join(workspace, 'docs', name));

      const random = numbers(seed);
      const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
      const plausible = ['docs', 'docs/a.md', 'docs/guides', 'docs/deep/new.md', 'docs/up/w/docs/b.mdx'];
      const nasty = (): string => {
        if (random() < 0.15) return one(plausible);
        let text = one(beginnings) + (random() < 0.4 ? 'docs/' : '');
        const length = 1 + Math.floor(random() * 5);
        for (let index = 0; index < length; index += 1) {
          const part = one(parts);
          text += (index === 0 ? '' : one(joints)) + (random() < 0.15 ? one(disguises)(part) : part);
        }
        return random() < 0.05 ? `${folder.path}/${text}` : text;
      };
      const calls: readonly (() => [ToolName, unknown])[] = [
        () => ['read_file', { path: nasty() }],
        () => [
          'list_files',
          { path: nasty(), recursive: true, pattern: random() < 0.2 ? nasty() : undefined },
        ],
        () => ['search', { query: 'e', path: nasty(), pattern: random() < 0.2 ? nasty() : undefined }],
        () => ['outline', { path: nasty() }],
        () => ['write_file', { path: nasty(), content: 'evil\n' }],
        () => ['edit_file', { path: nasty(), edits: [{ oldText: 'e', newText: 'evil', replaceAll: true }] }],
        () => ['move_file', { from: nasty(), to: nasty() }],
        () => ['move_file', { from: 'docs/a.md', to: nasty() }],
        () => ['delete_file', { path: nasty() }],
        () => ['run_checks', { paths: [nasty()] }],
        () => ['run_rule', { instruction: `rename page ${nasty()} to ${nasty()}` }],
      ];
      const tools = createPageTools({ rules: createRulesAgent() });
      const place = { directory: workspace, docsRoot: 'docs', outsideDocsRoot: false };
      const { signal } = new AbortController();
      let succeeded = 0;
      for (let index = 0; index < callsOfSeed; index += 1) {
        const [name, input] = one(calls)();
        const answer = await tools.use({ name, input }, place, signal);
        if (!answer.failed) succeeded += 1;
        const told = `${name} ${JSON.stringify(input)}: ${answer.text}`;
        assert.doesNotMatch(answer.text, /secret-/, told);
        assert.doesNotMatch(answer.text, /could not do this/, told);
        assert.ok(!answer.text.includes(`${folder.path}/`) || told.split(folder.path).length > 2, told);
      }
      // Paths that all fail would prove nothing.
      assert.ok(succeeded > 5, `${succeeded} calls succeeded`);
      const after = await readTree(folder.path);
      for (const [name, text] of Object.entries({ ...forbidden, ...fixed }))
        assert.equal(after[name], text, name);
      const known = new Set(Object.keys({ ...forbidden, ...fixed }));
      const strange = Object.keys(after).filter((name) => !known.has(name) && !name.startsWith('w/docs/'));
      assert.deepEqual(strange, []);
      assert.deepEqual((await readdir(folder.path)).toSorted(), ['outside', 'w', 'w2']);
      for (const [name, target] of Object.entries(links))
        assert.equal(await readlink(path.join(workspace, 'docs', name)), target);
    });
  }
});

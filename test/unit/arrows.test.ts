import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../..');

/** Who stands where, seen from a file; `imports` are what that file may and may not say. */
interface Place {
  readonly file: string;
  readonly allowed: readonly string[];
  readonly forbidden: readonly string[];
}

const places: readonly Place[] = [
  {
    file: 'src/contract/planted.ts',
    allowed: ['./job.ts', 'zod/v4', 'node:path', 'node:crypto'],
    forbidden: [
      '../client/a.ts',
      '../extension/a.ts',
      '../service/a.ts',
      '../docset/a.ts',
      '../adapters/http/a.ts',
      '../service.ts',
      'vscode',
      'undici',
      'node:fs',
      'node:fs/promises',
    ],
  },
  {
    file: 'src/client/planted.ts',
    allowed: ['./a.ts', '../contract/job.ts', 'zod/v4'],
    forbidden: [
      '../extension/a.ts',
      '../service/a.ts',
      '../docset/a.ts',
      '../adapters/http/a.ts',
      '../service.ts',
      '../extension.ts',
      'vscode',
      'undici',
      'node:fs',
      'node:http',
    ],
  },
  {
    file: 'src/extension/planted.ts',
    allowed: [
      './a.ts',
      '../contract/job.ts',
      '../client/a.ts',
      'vscode',
      'node:fs/promises',
      'node:child_process',
    ],
    forbidden: [
      '../service/a.ts',
      '../service/ports/log.ts',
      '../docset/a.ts',
      '../adapters/http/a.ts',
      '../service.ts',
      '../extension.ts',
      'undici',
      'hono',
      '@octokit/core',
    ],
  },
  {
    file: 'src/service/planted.ts',
    allowed: ['./ports/log.ts', '../contract/job.ts', '../docset/a.ts', 'node:crypto'],
    forbidden: [
      '../client/a.ts',
      '../extension/a.ts',
      '../adapters/http/a.ts',
      '../service.ts',
      '../extension.ts',
      'vscode',
      'undici',
      'node:sqlite',
      'node:fs/promises',
      'node:child_process',
    ],
  },
  {
    file: 'src/service/ports/planted.ts',
    allowed: ['./log.ts', '../job.ts', '../../contract/job.ts'],
    forbidden: ['../../client/a.ts', '../../extension/a.ts', '../../adapters/git/a.ts', 'vscode'],
  },
  {
    file: 'src/docset/planted.ts',
    allowed: ['./a.ts', 'node:fs/promises', 'yaml', 'magic-string'],
    forbidden: [
      '../contract/job.ts',
      '../client/a.ts',
      '../extension/a.ts',
      '../service/a.ts',
      '../adapters/git/a.ts',
      '../service.ts',
      'vscode',
      'undici',
      'node:child_process',
    ],
  },
  {
    file: 'src/adapters/http/planted.ts',
    allowed: [
      './a.ts',
      '../../contract/job.ts',
      '../../service/ports/log.ts',
      '../../docset/a.ts',
      'hono',
      'undici',
    ],
    forbidden: [
      '../git/a.ts',
      '../hosts/local/a.ts',
      '../planted.ts',
      '../../client/a.ts',
      '../../extension/a.ts',
      '../../service.ts',
      '../../extension.ts',
      'vscode',
    ],
  },
  {
    file: 'src/adapters/hosts/github/planted.ts',
    allowed: [
      './a.ts',
      '../a.ts',
      '../../../contract/job.ts',
      '../../../service/ports/log.ts',
      '@octokit/core',
    ],
    forbidden: [
      '../local/a.ts',
      '../../git/a.ts',
      '../../a.ts',
      '../../../client/a.ts',
      '../../../extension/a.ts',
      '../../../service.ts',
      'vscode',
    ],
  },
  {
    file: 'src/adapters/agents/model/tools/planted.ts',
    allowed: [
      './a.ts',
      '../a.ts',
      '../../../../contract/job.ts',
      '../../../../service/ports/log.ts',
      '../../../../docset/a.ts',
      'zod/v4',
      'node:fs/promises',
    ],
    forbidden: [
      '../../a.ts',
      '../../rules/a.ts',
      '../../../git/a.ts',
      '../../../a.ts',
      '../../../../client/a.ts',
      '../../../../extension/a.ts',
      '../../../../service.ts',
      'vscode',
    ],
  },
  {
    file: 'src/adapters/agents/model/tools/deeper/planted.ts',
    allowed: [],
    forbidden: ['./a.ts', '../a.ts', '../../../rules/a.ts', '../../../../../contract/job.ts'],
  },
  {
    file: 'src/adapters/hosts/planted.ts',
    allowed: ['./a.ts', '../../contract/job.ts', '../../service/ports/log.ts'],
    forbidden: [
      './github/a.ts',
      '../git/a.ts',
      '../planted.ts',
      '../../client/a.ts',
      '../../service.ts',
      'vscode',
    ],
  },
  {
    file: 'src/adapters/planted.ts',
    allowed: [],
    forbidden: ['./http/a.ts', '../service/a.ts', '../contract/a.ts'],
  },
  {
    file: 'src/extension.ts',
    allowed: ['./extension/a.ts', './client/a.ts', './contract/job.ts', 'vscode'],
    forbidden: ['./service/a.ts', './service.ts', './docset/a.ts', './adapters/http/a.ts'],
  },
  {
    file: 'src/service-child.ts',
    allowed: ['./service/a.ts', './adapters/child-process/a.ts', './contract/job.ts', './docset/a.ts'],
    forbidden: ['./extension/a.ts', './extension.ts', './client/a.ts', 'vscode'],
  },
  {
    file: 'src/service-hosts.ts',
    allowed: ['./service/a.ts', './adapters/hosts/github/a.ts', './contract/job.ts'],
    forbidden: ['./extension/a.ts', './extension.ts', './client/a.ts', 'vscode'],
  },
  {
    file: 'src/service-agents.ts',
    allowed: ['./service/a.ts', './adapters/agents/model/a.ts', './contract/job.ts'],
    forbidden: ['./extension/a.ts', './extension.ts', './client/a.ts', 'vscode'],
  },
  {
    file: 'src/service.ts',
    allowed: ['./service/a.ts', './adapters/http/a.ts', './contract/job.ts', './docset/a.ts'],
    forbidden: ['./extension/a.ts', './extension.ts', './client/a.ts', 'vscode'],
  },
];

/** Every way in which TypeScript can bring in another module, one a line. */
const forms: readonly ((module: string, name: string) => string)[] = [
  (module, name) => `import { a as ${name} } from '${module}';`,
  (module, name) => `import type { B as ${name} } from '${module}';`,
  (module) => `import '${module}';`,
  (module, name) => `export { c as ${name} } from '${module}';`,
  (module, name) => `export type { D as ${name} } from '${module}';`,
  (module, name) => `export * as ${name} from '${module}';`,
  (module, name) => `export const ${name} = import('${module}');`,
];

interface Finding {
  readonly filename: string;
  readonly code: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

describe('The arrows between the rooms', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'docs-agent-arrows-'));
    await cp(path.join(root, '.oxlintrc.json'), path.join(folder, '.oxlintrc.json'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Writes one line an import, and gives the lines that the rule reports. */
  const reported = async (file: string, lines: readonly string[], rule: string): Promise<number[]> => {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), `${lines.join('\n')}\n`);
    const oxlint = path.join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
    // The exit code tells of findings of any rule; here only those of one are looked at.
    const run = promisify(execFile)(process.execPath, [oxlint, '--format', 'json', file], { cwd: folder });
    const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: Finding[] };
    const found = diagnostics.filter((finding) => finding.code === rule).flatMap((finding) => finding.labels);
    return [...new Set(found.map((label) => label.span.line))].sort((a, b) => a - b);
  };

  for (const { file, allowed, forbidden } of places) {
    it(`reports each forbidden import in ${file}, and no allowed one`, async () => {
      const bad = forbidden.flatMap((module) => forms.map((form) => ({ module, form })));
      const good = allowed.flatMap((module) => forms.map((form) => ({ module, form })));
      const lines = [...bad, ...good].map(({ module, form }, index) => form(module, `n${index}`));
      const expected = bad.map((_, index) => index + 1);
      assert.deepEqual(await reported(file, lines, 'eslint(no-restricted-imports)'), expected);
    });
  }

  it('reports the two ways round the rule: require, and a type by import()', async () => {
    const lines = [
      `export const a = require('../client/a.ts');`,
      `export type B = import('../client/a.ts').B;`,
    ];
    const file = 'src/service/round.ts';
    assert.deepEqual(await reported(file, lines, 'typescript(no-require-imports)'), [1]);
    assert.deepEqual(await reported(file, lines, 'typescript(consistent-type-imports)'), [2]);
  });

  it('reports a command that is registered past the wrapper', async () => {
    const rule = 'eslint(no-restricted-properties)';
    const lines = [`vscode.commands.registerCommand('docsAgent.x', () => undefined);`];
    assert.deepEqual(await reported('src/extension/past.ts', lines, rule), [1]);
    assert.deepEqual(await reported('src/extension.ts', lines, rule), [1]);
    assert.deepEqual(await reported('src/extension/commands.ts', lines, rule), []);
  });

  it('knows every room: another folder or door in src would have no rule', async () => {
    const entries = await readdir(path.join(root, 'src'), { withFileTypes: true });
    const names = entries.map((entry) => entry.name).filter((name) => name !== 'README.md');
    const rooms = new Set(['adapters', 'client', 'contract', 'docset', 'extension', 'service']);
    const unknown = names.filter(
      (name) => !rooms.has(name) && !/^(?:extension|service(?:-[a-z]+)?)\.ts$/.test(name),
    );
    assert.deepEqual(unknown, []);
  });
});

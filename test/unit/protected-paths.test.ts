import assert from 'node:assert/strict';
import { whyProtected } from '../../src/service/protected-paths.ts';

const anywhere = { docsRoot: '', outsideDocsRoot: false };
const inDocs = { docsRoot: 'packages/docs', outsideDocsRoot: false };

describe('a path that a job may not change', () => {
  const refused = [
    '.git/config',
    'docs/.git/hooks/post-commit',
    'docs/.git',
    '.GIT/config',
    '.git./config',
    '.g\u200Cit/config',

    'GIT~1/config',
    '.git::$INDEX_ALLOCATION/config',
    '.gitmodules',
    'docs/.gitattributes',
    '.ｇit/config',
    '.github/workflows/ci.yml',
    '.GitHub/CODEOWNERS',
    'CODEOWNERS',
    'docs/CODEOWNERS',
    '.gitlab-ci.yml',

    '.circleci/config.yml',
    'azure-pipelines.yml',
    'Jenkinsfile',
    'bitbucket-pipelines.yml',
    '.husky/pre-commit',

    'AGENTS.md',
    'agents.md',
    'docs/AGENTS.md',
    'CLAUDE.md',
    'sub/CLAUDE.md',
    '.cursor/rules/x.mdc',
    '.mcp.json',
    '.vscode/tasks.json',
    'docs/.claude/settings.json',
    '.opencode/plugin/x.js',
    'opencode.json',
    'docs/.copilot/mcp-config.json',
    '.envrc',
    '.npmrc',
    '.env',
    '../outside.md',
    '/etc/passwd',
  ];
  for (const path of refused) {
    it(`is ${JSON.stringify(path)}`, () => {
      assert.notEqual(whyProtected(path, anywhere), undefined);
      assert.notEqual(whyProtected(path, { ...anywhere, outsideDocsRoot: true }), undefined);
    });
  }

  const allowed = [
    'index.md',
    'docs/git.md',
    'docs/github/actions.md',
    'docs/agents.md',
    'guides/claude.md',
    'docs/.nav.yml',

    'docs/jenkinsfile.md',
    'docs/codeowners.md',
    '.vitepress/config.mts',
    'docs/Größe ändern.md',
    'docs/..x.md',
    '.gitignore',
    'docs.json',
    'docs/.env.md',
  ];
  for (const path of allowed) {
    it(`is not ${JSON.stringify(path)}`, () => assert.equal(whyProtected(path, anywhere), undefined));
  }

  it('is one outside the docs folder, unless configured', () => {
    for (const path of [
      'README.md',
      'packages/docs.md',
      'packages/docs2/a.md',
      'src/index.ts',
      'package.json',
    ]) {
      assert.match(whyProtected(path, inDocs) ?? '', /outside the docs folder/, path);
      assert.equal(whyProtected(path, { ...inDocs, outsideDocsRoot: true }), undefined, path);
    }
    assert.equal(whyProtected('packages/docs/a.md', inDocs), undefined);
  });

  it('is not the navigation that a generator keeps above the docs folder', () => {
    for (const path of ['mkdocs.yml', 'packages/mkdocs.yml', 'packages/sidebars.js', 'docs.json']) {
      assert.equal(whyProtected(path, inDocs), undefined, path);
    }
    assert.match(whyProtected('other/mkdocs.yml', inDocs) ?? '', /outside/);
    assert.match(whyProtected('packages/docs2/mkdocs.yml', inDocs) ?? '', /outside/);
  });
});

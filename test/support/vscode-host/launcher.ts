#!/usr/bin/env node
// Takes the arguments of desktop VS Code and runs the browser-served one, so that `runTests` of
// @vscode/test-electron needs to know only an executable. Ends with the exit code of the test entry.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { homeVariable } from '../../../src/contract/local-service.ts';
import { launchBrowser } from './browser.ts';
import { editorFolder, installEditor } from './install.ts';
import { OwnedProcess } from './owned-process.ts';
import { desktopVariable, editorReleases, isReleaseName, releaseVariable } from './release.ts';
import { EditorServer } from './server.ts';
import { writeUserSettings } from './settings.ts';
import { temporaryFilesIn } from './temporary-files.ts';
import { openWindow } from './window.ts';

/** Our own argument: Restricted Mode, although `runTests` always asks for a window that trusts everything. */
const restrictedArgument = '--enable-workspace-trust';
const trustArgument = '--disable-workspace-trust';
/** A suite of some hundred tests takes under a minute; a window that never answers must end too. */
const runMs = 1_200_000;

async function launch(argv: readonly string[]): Promise<number | NodeJS.Signals> {
  // Listened to from the beginning: whatever was started by then is ended in order.
  const interrupted = interruption();
  const desktop = process.env[desktopVariable];
  return desktop ? launchDesktop(desktop, argv, interrupted) : launchServed(argv, interrupted);
}

/** The desktop editor, only without the argument that contradicts Restricted Mode. */
async function launchDesktop(
  executable: string,
  argv: readonly string[],
  interrupted: Promise<number>,
): Promise<number | NodeJS.Signals> {
  const restricted = argv.includes(restrictedArgument);
  const args = argv.filter((arg) => arg !== restrictedArgument && !(restricted && arg === trustArgument));
  await using owned = new OwnedProcess(executable, args, { stdio: 'inherit' });
  return await Promise.race([owned.ended, interrupted, timeLimit()]);
}

async function launchServed(argv: readonly string[], interrupted: Promise<number>): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    options: {
      extensionDevelopmentPath: { type: 'string' },
      extensionTestsPath: { type: 'string' },
      'user-data-dir': { type: 'string' },
      'enable-workspace-trust': { type: 'boolean' },
    },
  });
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const wanted = process.env[releaseVariable] ?? 'current';
  if (!isReleaseName(wanted)) throw new Error(`There is no editor release "${wanted}".`);

  const folder = editorFolder(path.resolve(import.meta.dirname, '../../..'));
  const editor = await installEditor(editorReleases[wanted], folder);
  await using temporary = await temporaryFolder();
  const dataFolder = text(values['user-data-dir']) ?? path.join(temporary.path, 'editor');
  await mkdir(dataFolder, { recursive: true });
  await writeUserSettings(dataFolder);
  const env = await temporaryFilesIn(temporary.path);
  await using server = await EditorServer.start({
    editor,
    dataFolder,
    home: process.env[homeVariable] ?? path.join(temporary.path, 'home'),
    runsTests: true,
    env,
    trustEverything: values['enable-workspace-trust'] !== true,
  });
  await using browser = await launchBrowser(folder, env);
  const window = await openWindow(server, await browser.newContext(), {
    open: positionals[0],
    extensionDevelopmentPath: text(values['extensionDevelopmentPath']),
    extensionTestsPath: text(values['extensionTestsPath']),
    onLog: (line) => process.stdout.write(`${line}\n`),
  });
  return await Promise.race([window.exitCode, interrupted, timeLimit()]);
}

async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'docs-agent-editor-'));
  return {
    path: folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 20 }),
  };
}

function interruption(): Promise<number> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve(130));
    process.once('SIGTERM', () => resolve(143));
  });
}

function timeLimit(): Promise<number> {
  return new Promise((resolve) => {
    setTimeout(() => {
      process.stderr.write(`The tests did not end within ${runMs / 1000} seconds.\n`);
      resolve(1);
    }, runMs).unref();
  });
}

const ended = await launch(process.argv.slice(2));
process.exitCode = typeof ended === 'number' ? ended : 1;

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

/** Path of a Chromium, Chrome or Edge to use instead of the one that is found. */
export const browserVariable = 'DOCS_AGENT_BROWSER';

/** Without a sandbox because it runs as root on build machines; the rest keeps it from talking to anybody. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Milliseconds for its start, on a machine that may be busy. */
const startMs = 180_000;

/**
 * Starts a headless browser: the named one, an installed one, or the one from the npm registry.
 *
 * @param folder where that one is kept
 * @param env variables for the browser beside those of this process
 */
export async function launchBrowser(folder: string, env: NodeJS.ProcessEnv = {}): Promise<Browser> {
  const executablePath =
    process.env[browserVariable] ?? installedBrowser() ?? (await unpackedBrowser(folder));
  return chromium.launch({
    executablePath,
    args: flags,
    headless: true,
    handleSIGINT: false,
    timeout: startMs,
    env: { ...process.env, ...env },
  });
}

/** The usual places of each platform, and on Linux also the search path. */
function installedBrowser(): string | undefined {
  const { platform, env } = process;
  if (platform === 'darwin') return firstExisting(macApplications);
  if (platform === 'win32') {
    const bases = [env['PROGRAMFILES'], env['PROGRAMFILES(X86)'], env['LOCALAPPDATA']];
    const ends = [
      String.raw`Google\Chrome\Application\chrome.exe`,
      String.raw`Microsoft\Edge\Application\msedge.exe`,
    ];
    return firstExisting(
      bases.flatMap((base) => (base ? ends.map((end) => path.win32.join(base, end)) : [])),
    );
  }
  const names = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser', 'microsoft-edge'];
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  return firstExisting(names.flatMap((name) => folders.map((folder) => path.join(folder, name))));
}

const macApplications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const firstExisting = (candidates: readonly string[]): string | undefined =>
  candidates.find((candidate) => existsSync(candidate));

/**
 * `@sparticuz/chromium` unpacks itself into the temporary folder and takes what it finds there, whole or
 * not. So it unpacks into a folder of its own, which is then moved into place.
 */
async function unpackedBrowser(folder: string): Promise<string> {
  if (process.platform !== 'linux') {
    throw new Error(
      `No Chrome, Edge or Chromium was found. Install one, or set ${browserVariable} to its path.`,
    );
  }
  const target = path.join(folder, 'chromium');
  const executable = path.join(target, 'chromium');
  if (existsSync(executable)) return executable;
  await mkdir(folder, { recursive: true });
  const staging = await mkdtemp(path.join(folder, 'unpacking-'));
  try {
    const script = `import('@sparticuz/chromium').then((found) => found.default.executablePath())`;
    const env = { ...process.env, TMPDIR: staging };
    await promisify(execFile)(process.execPath, ['-e', script], { cwd: import.meta.dirname, env });
    await rename(staging, target).catch((error: unknown) => {
      // Another process was first.
      if (!existsSync(executable)) throw error;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return executable;
}

import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { createVSIX, listFiles, PackageManager } from '@vscode/vsce';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Builds the extension and packs it. The same commit gives the same bytes. */
export async function packExtension(file: string): Promise<void> {
  await run(process.execPath, ['esbuild.js'], { cwd: root });
  // vsce takes the time of every entry from here; without it the package would hold the time of its making.
  process.env['SOURCE_DATE_EPOCH'] ??= await commitTime();
  await createVSIX({
    cwd: root,
    packagePath: file,
    // Everything that is needed is in the bundles.
    dependencies: false,
    // The pictures of the README are in the package.
    rewriteRelativeLinks: false,
    allowMissingRepository: true,
  });
}

/** The files that go into the package, with `/`, sorted. */
export async function packedFiles(): Promise<string[]> {
  const files = await listFiles({ cwd: root, packageManager: PackageManager.None });
  return files.map((file) => file.replaceAll('\\', '/')).sort();
}

/** Seconds since the epoch. Outside of a git checkout it is the beginning of 2026. */
async function commitTime(): Promise<string> {
  return run('git', ['log', '-1', '--format=%ct'], { cwd: root }).then(
    ({ stdout }) => stdout.trim(),
    () => '1767225600',
  );
}

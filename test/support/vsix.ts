import { execFile } from 'node:child_process';
import { rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { listFiles, PackageManager } from '@vscode/vsce';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

export async function buildExtension(): Promise<void> {
  await run(process.execPath, ['esbuild.js'], { cwd: root });
}

/** Packs what was built. The same commit gives the same bytes. */
export async function packExtension(file: string): Promise<void> {
  const vsce = path.join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  // Everything that is needed is in the bundles, and the pictures of the README are in the package.
  const args = ['package', '--out', file, '--no-dependencies', '--no-rewrite-relative-links'];
  await run(process.execPath, [vsce, ...args, '--allow-missing-repository'], {
    cwd: root,
    // Without it the package would hold the time of its making.
    env: { SOURCE_DATE_EPOCH: await commitTime(), ...process.env },
  });
}

/** The package of what was built last, for an editor that has it installed. */
export async function builtPackage(): Promise<string> {
  const file = path.join(root, 'dist', 'docs-agent.vsix');
  const inputs = ['package.json', 'dist/extension.cjs', 'dist/service/service.mjs'];
  const built = await Promise.all(inputs.map(async (input) => (await stat(path.join(root, input))).mtimeMs));
  const packed = await stat(file).catch(() => undefined);
  if (packed === undefined || built.some((time) => time > packed.mtimeMs)) {
    // Another process may install the one that is there.
    const staging = `${file}.${process.pid}`;
    await packExtension(staging);
    await rename(staging, file);
  }
  return file;
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

import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { packExtension } from '../support/vsix.ts';
import { temporaryFolder } from '../support/repositories.ts';
import { inKb, type Row, times } from './table.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** What a person downloads, and what VS Code and the service have to read. */
export async function measureSizes(): Promise<Row[]> {
  using folder = temporaryFolder();
  const vsix = path.join(folder.path, 'docs-agent.vsix');
  await packExtension(vsix);
  const extension = (await stat(path.join(root, 'dist', 'extension.cjs'))).size;
  const service = await sumOf(path.join(root, 'dist', 'service'));
  const entry = (await stat(path.join(root, 'dist', 'service', 'service.mjs'))).size;
  const packed = (await stat(vsix)).size;
  const zod = await bundledSize('zod/v4');
  return [
    row('Extension bundle', extension, 'zod alone, bundled the same way', zod),
    row('Service, loaded at its start', entry, 'the whole service with all late parts', service),
    row('.vsix', packed, 'the two bundles in it, not compressed', extension + service),
  ];
}

function row(what: string, bytes: number, beside: string, other: number): Row {
  return { what, figure: inKb(bytes), beside: `${beside}: ${inKb(other)}`, ratio: times(bytes, other) };
}

async function sumOf(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.mjs'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(path.join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function bundledSize(name: string): Promise<number> {
  const built = await build({
    stdin: { contents: `module.exports = require('${name}')`, resolveDir: root },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    write: false,
    legalComments: 'none',
  });
  return built.outputFiles[0]?.contents.length ?? 0;
}

// Builds what is shipped into dist/: the extension as one CommonJS file, and the service as ES modules
// with split chunks, so that a start loads only what it uses. `--tests` builds the in-editor suite too.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

const root = import.meta.dirname;
const dist = path.join(root, 'dist');

/**
 * The libraries of agents use zod as a whole, so all of its fifty languages would be in the chunk that every start
 * of the service loads. Its sentences are English here.
 */
const zodInEnglish = {
  name: 'zod in English',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, (file) => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: path.dirname(file.path),
    }));
  },
};

/** @type {import('esbuild').BuildOptions} */
const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node22',
  minify: true,
  // Kept beside the bundle for debugging; .vscodeignore leaves it out of the package.
  sourcemap: 'external',
  legalComments: 'none',
  metafile: true,
  plugins: [zodInEnglish],
  logLevel: 'warning',
};

/** CommonJS dependencies inside an ES module call `require` for Node's own modules. */
const requireInModules =
  'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);';

const buildExtension = () =>
  build({
    ...shared,
    entryPoints: { extension: 'src/extension.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    external: ['vscode'],
  });

const buildService = () =>
  build({
    ...shared,
    entryPoints: { service: 'src/service.ts', 'service-child': 'src/service-child.ts' },
    outdir: 'dist/service',
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    splitting: true,
    banner: { js: requireInModules },
  });

/** One file a suite: mocha and `vscode` come from outside, everything else is inside. */
const buildTests = async () => {
  const folder = path.join(root, 'test', 'vscode');
  await rm(path.join(dist, 'test'), { recursive: true, force: true });
  const names = (await readdir(folder)).filter((name) => name === 'index.ts' || name.endsWith('.test.ts'));
  return build({
    ...shared,
    minify: false,
    sourcemap: 'inline',
    entryPoints: names.map((name) => `test/vscode/${name}`),
    outdir: 'dist/test',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    external: ['vscode', 'mocha'],
  });
};

/**
 * Chunks have a hash in their name: old ones would pile up and be shipped. They go after the build, not
 * before it, because a service that runs from this folder may be about to load one that stays.
 */
async function removeStaleChunks(metafile) {
  const folder = path.join(dist, 'service');
  const built = new Set(Object.keys(metafile.outputs).map((name) => path.basename(name)));
  const stale = (await readdir(folder)).filter((name) => !built.has(name));
  await Promise.all(stale.map((name) => rm(path.join(folder, name), { recursive: true })));
}

/** Their licences ask that they come along. Sorted, so that the same input gives the same file. */
async function writeNotices(metafiles) {
  const packages = new Set();
  for (const metafile of metafiles) {
    for (const input of Object.keys(metafile.inputs)) {
      const found = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input);
      if (found) packages.add(found[0]);
    }
  }
  const notices = await Promise.all([...packages].sort().map(readNotice));
  await writeFile(
    path.join(dist, 'third-party-notices.txt'),
    'Docs Agent contains the following packages.\n\n' + notices.join('\n'),
  );
}

async function readNotice(folder) {
  const manifest = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8'));
  const files = await readdir(path.join(root, folder));
  const file = files.sort().find((name) => /^(licen[cs]e|copying)/i.test(name));
  const text = file === undefined ? '' : await readFile(path.join(root, folder, file), 'utf8');
  const heading = `${manifest.name} ${manifest.version} (${manifest.license ?? 'see its text'})`;
  return `${heading}\n${'-'.repeat(heading.length)}\n${text.replaceAll('\r\n', '\n').trim()}\n`;
}

function printSizes(metafiles) {
  for (const metafile of metafiles) {
    const outputs = Object.entries(metafile.outputs).filter(([name]) => !name.endsWith('.map'));
    const bytes = outputs.reduce((sum, [, output]) => sum + output.bytes, 0);
    // Modules that are imported late are entry points too, with a hash in their name.
    const isEntry = ([name, { entryPoint = '' }]) => path.parse(name).name === path.parse(entryPoint).name;
    const entry = outputs.find(isEntry)?.[0];
    const files = outputs.length === 1 ? '1 file' : `${outputs.length} files`;
    console.log(`${entry}: ${(bytes / 1024).toFixed(0)} KB in ${files}`);
  }
}

const shipped = await Promise.all([buildExtension(), buildService()]);
await removeStaleChunks(shipped[1].metafile);
await writeNotices(shipped.map((result) => result.metafile));
const all = process.argv.includes('--tests') ? [...shipped, await buildTests()] : shipped;
printSizes(all.map((result) => result.metafile));

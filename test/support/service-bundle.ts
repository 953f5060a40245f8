import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.resolve(import.meta.dirname, '../..');

/** The service as one would ship it, built from the sources as they are now, in a folder of its own. */
export interface ServiceBundle extends AsyncDisposable {
  /** What Node runs. */
  readonly entry: string;
}

/** A process that is built starts ten times as fast as one that strips types from its sources. */
export async function bundleService(): Promise<ServiceBundle> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'docs-agent-bundle-'));
  await build({
    absWorkingDir: root,
    entryPoints: { service: 'src/service.ts', 'service-child': 'src/service-child.ts' },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    logLevel: 'warning',
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  });
  return {
    entry: path.join(folder, 'service.mjs'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

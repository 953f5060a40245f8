import assert from 'node:assert/strict';
import path from 'node:path';
import { build, type Metafile } from 'esbuild';

/** What every start of the service, and every start of a child, must not wait for. */
const late = ['ai', '@ai-sdk/*', '@agentclientprotocol/*', '@octokit/*', 'octokit', '@gitbeaker/*', 'undici'];
const isLate = (input: string): boolean =>
  late.some((name) =>
    input.includes(`node_modules/${name.replace('*', '')}${name.endsWith('*') ? '' : '/'}`),
  );

describe('The libraries of agents and code hosts', function () {
  this.timeout(60_000);
  let outputs: Metafile['outputs'];

  before(async () => {
    const { metafile } = await build({
      absWorkingDir: path.resolve(import.meta.dirname, '../..'),
      entryPoints: { service: 'src/service.ts', 'service-child': 'src/service-child.ts' },
      outdir: 'dist/service',
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node22',
      logLevel: 'warning',
      metafile: true,
      write: false,
    });
    ({ outputs } = metafile);
  });

  /** The sources of a file and of all that it loads before its first line runs. */
  function atStart(output: string, seen = new Set<string>()): string[] {
    if (seen.has(output)) return [];
    seen.add(output);
    const { inputs, imports } = outputs[output] ?? assert.fail(`${output} was not built`);
    const needed = imports.filter(({ kind, external }) => kind === 'import-statement' && external !== true);
    return [...Object.keys(inputs), ...needed.flatMap((one) => atStart(one.path, seen))];
  }

  for (const name of ['service', 'service-child']) {
    it(`are not loaded at the start of ${name}`, () => {
      const sources = atStart(`dist/service/${name}.js`);
      assert.ok(sources.some((source) => source.includes('node_modules/zod/')));
      assert.deepEqual(sources.filter(isLate), []);
    });
  }

  it('are there all the same, each in a file that is loaded when it is needed', () => {
    const all = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
    for (const name of ['ai', '@agentclientprotocol', 'undici']) {
      assert.ok(
        all.some((source) => source.includes(`node_modules/${name}/`)),
        name,
      );
    }
  });
});

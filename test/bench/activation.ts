import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { runTests } from '@vscode/test-electron';
import { homeVariable } from '../../src/contract/local-service.ts';
import { commitFiles, git, temporaryFolder } from '../support/repositories.ts';
import { editorFolder, installEditor } from '../support/vscode-host/install.ts';
import { stopLocalService } from '../support/vscode-host/local-service.ts';
import { editorReleases } from '../support/vscode-host/release.ts';
import { installExtension } from '../support/vscode-host/server.ts';
import { packExtension } from '../support/vsix.ts';
import { inMs, median, repeat, type Row, times } from './table.ts';

const root = path.resolve(import.meta.dirname, '../..');
const runs = { most: 3, withinMs: 30_000 };

interface Measured {
  readonly empty: number;
  readonly docsAgent: number;
}

/** The packaged extension and one that does nothing, both installed and both activated by the same host. */
export async function measureActivation(): Promise<Row[]> {
  using folder = temporaryFolder();
  const dataFolder = path.join(folder.path, 'editor');
  const editor = await installEditor(editorReleases.current, editorFolder(root));
  const packages = [path.join(folder.path, 'docs-agent.vsix'), await packEmpty(folder.path)];
  await packExtension(packages[0] ?? '');
  await mkdir(dataFolder);
  for (const file of packages) await installExtension(editor, dataFolder, file);
  const project = await makeProject(folder.path);
  const driver = await writeDriver(folder.path);
  const measured: Measured[] = [];
  await repeat(runs, async (run) => {
    measured.push(await activate(folder.path, dataFolder, project, driver, run));
  });
  const figure = median(measured.map((one) => one.docsAgent));
  const empty = median(measured.map((one) => one.empty));
  return [
    {
      what: 'Activation in VS Code, reading the bundle included',
      figure: inMs(figure),
      beside: `an empty extension: ${inMs(empty)}`,
      ratio: times(figure, empty),
    },
  ];
}

async function activate(
  folder: string,
  dataFolder: string,
  project: string,
  driver: string,
  run: number,
): Promise<Measured> {
  const home = path.join(folder, 'home');
  const result = path.join(folder, `activation-${run}.json`);
  try {
    await runTests({
      vscodeExecutablePath: path.join(root, 'test', 'support', 'vscode-host', 'launcher.ts'),
      extensionDevelopmentPath: driver,
      extensionTestsPath: path.join(driver, 'report.cjs'),
      launchArgs: [project, `--user-data-dir=${dataFolder}`],
      extensionTestsEnv: { [homeVariable]: home, DOCS_AGENT_BENCH_RESULT: result },
    });
    return JSON.parse(await readFile(result, 'utf8')) as Measured;
  } finally {
    await stopLocalService(home);
  }
}

async function packEmpty(folder: string): Promise<string> {
  const empty = path.join(folder, 'empty');
  await writeExtension(empty, 'empty', [], 'exports.activate = () => undefined;\n');
  const packagePath = path.join(folder, 'empty.vsix');
  await createVSIX({
    cwd: empty,
    packagePath,
    dependencies: false,
    allowMissingRepository: true,
    skipLicense: true,
  });
  return packagePath;
}

/** Activated with the first ones, before VS Code itself would activate the two that are measured. */
async function writeDriver(folder: string): Promise<string> {
  const driver = path.join(folder, 'driver');
  await writeExtension(
    driver,
    'driver',
    ['*'],
    `const vscode = require('vscode');
const time = async (id) => {
  const extension = vscode.extensions.getExtension(id);
  if (extension === undefined) throw new Error(id + ' is not installed');
  if (extension.isActive) throw new Error(id + ' is active already');
  const start = performance.now();
  await extension.activate();
  return performance.now() - start;
};
exports.activate = async () => {
  globalThis.docsAgentActivation = { empty: await time('bench.empty'), docsAgent: await time('docs-agent.docs-agent') };
};
`,
  );
  const report = `exports.run = async () => {
  if (globalThis.docsAgentActivation === undefined) throw new Error('Nothing was measured.');
  require('node:fs').writeFileSync(process.env.DOCS_AGENT_BENCH_RESULT, JSON.stringify(globalThis.docsAgentActivation));
};
`;
  await writeFile(path.join(driver, 'report.cjs'), report);
  return driver;
}

async function writeExtension(
  folder: string,
  name: string,
  activationEvents: readonly string[],
  code: string,
): Promise<void> {
  await mkdir(folder);
  const manifest = {
    name,
    publisher: 'bench',
    version: '1.0.0',
    engines: { vscode: '^1.105.0' },
    main: './extension.cjs',
    activationEvents,
  };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(path.join(folder, 'README.md'), 'Nothing.\n');
  await writeFile(path.join(folder, 'extension.cjs'), code);
}

async function makeProject(folder: string): Promise<string> {
  const project = path.join(folder, 'project');
  await mkdir(project);
  git(project, 'init', '--quiet', '--initial-branch=main');
  commitFiles(project, { 'mkdocs.yml': 'site_name: Bench\n', 'docs/index.md': '# Start\n' });
  return project;
}

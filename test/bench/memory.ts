import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { edits, finishes, modelKey } from '../support/agents-service.ts';
import { KillableService } from '../support/killable-service.ts';
import { opencode, OpencodeStand } from '../support/opencode-stand.ts';
import { repositoryWithoutRemote, temporaryFolder } from '../support/repositories.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { OwnedProcess } from '../support/vscode-host/owned-process.ts';
import { inCodeToo, inProse, makeDocsOrigin, pages } from './docs-origin.ts';
import { job, scriptedAgent, scriptedProvider } from './jobs.ts';
import { builtService } from './start.ts';
import type { Row } from './table.ts';

/** How often memory is looked at while something runs, in milliseconds. */
const lookEveryMs = 50;

/** Resident memory of the service with all that it has started: idle, at work, and with somebody else's agent. */
export async function measureMemory(): Promise<Row[]> {
  return [...(await withModel()), ...(await withRules()), await withOpencode()];
}

async function withModel(): Promise<Row[]> {
  using folder = temporaryFolder();
  await using model = await startScriptedModel({
    key: modelKey,
    thinkMs: 300,
    script: (_request, index) =>
      index % 2 === 0 ? edits('docs/index.md', 'Log in', 'Sign in') : finishes('Changed.'),
  });
  const repository = repositoryWithoutRemote(folder.path);
  await using service = await KillableService.start(path.join(folder.path, 'home'), { entry: builtService });
  const { client } = service;
  await client.putProject('docs', { repository });
  await client.putAgents({ providers: [scriptedProvider(model)], commands: [], limits: {} });
  const idle = treeBytes(service.pid);
  const work = (): Promise<unknown> => job(service, 'Say sign in', scriptedAgent);
  const first = await peak(service.pid, work);
  let tenth = first;
  for (let more = 0; more < 9; more++) tenth = await peak(service.pid, work);
  return [
    row('Service and children: peak during a model job', first, 'idle, before any job', idle),
    row('Service and children: peak during the tenth one', tenth, 'during the first', first),
  ];
}

async function withRules(): Promise<Row[]> {
  using folder = temporaryFolder();
  const { clone } = await makeDocsOrigin(folder.path);
  await using service = await KillableService.start(path.join(folder.path, 'home'), { entry: builtService });
  await service.client.putProject('docs', { repository: clone });
  const idle = treeBytes(service.pid);
  const first = await peak(service.pid, () => job(service, inCodeToo.prompt, 'rules'));
  const second = await peak(service.pid, () => job(service, inProse.prompt, 'rules'));
  const size = `${pages.toLocaleString('en')} pages`;
  return [
    row(`Service and children: peak during a rules job on ${size}`, first, 'idle, before any job', idle),
    row('Service and children: peak during the next one', second, 'during the first', first),
  ];
}

/** The same program once as the service's adapter drives it, and once started by hand and left alone. */
async function withOpencode(): Promise<Row> {
  const reached = Promise.withResolvers<number>();
  await using stand = await OpencodeStand.start(
    ({ tools }, index) => {
      if (tools.length > 0) reached.resolve(treeBytes(process.pid));
      return { kind: 'say', text: `Title: Nothing\n\nNothing to do ${index}.` };
    },
    { 'docs/a.md': '# A\n' },
  );
  const before = treeBytes(process.pid);
  await stand.acp.run(opencode);
  const working = (await reached.promise) - before;
  await using bare = new OwnedProcess(opencode.command, opencode.args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: stand.acp.env,
    cwd: stand.acp.directory,
  });
  const { stdin, stdout, pid = 0 } = bare.child;
  if (stdin === null || stdout === null) throw new Error('opencode has no streams.');
  const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } };
  stdin.write(`${JSON.stringify(hello)}\n`);
  await once(stdout, 'data');
  return row(
    'opencode at work for a job, without the service',
    working,
    'opencode that has just started',
    treeBytes(pid),
  );
}

function row(what: string, bytes: number, beside: string, other: number): Row {
  return {
    what,
    figure: inMb(bytes),
    beside: `${beside}: ${inMb(other)}`,
    ratio: `${(bytes / other).toFixed(1)}×`,
  };
}

/** The most that a process had with all that it started, while something was under way. */
async function peak(pid: number, action: () => Promise<unknown>): Promise<number> {
  const over = new AbortController();
  const running = action().finally(() => over.abort());
  let most = 0;
  while (!over.signal.aborted) {
    most = Math.max(most, treeBytes(pid));
    await delay(lookEveryMs, undefined, { signal: over.signal }).catch(() => undefined);
  }
  await running;
  return most;
}

/** Pages that several of them share count for each, so this is an upper bound. */
function treeBytes(root: number): number {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' }).trim().split('\n');
  const rows = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const tree = new Set([root]);
  for (let size = 0; size !== tree.size;) {
    size = tree.size;
    for (const [pid = 0, parent = 0] of rows) if (tree.has(parent)) tree.add(pid);
  }
  const kilobytes = rows.reduce((sum, [pid = 0, , rss = 0]) => sum + (tree.has(pid) ? rss : 0), 0);
  return kilobytes * 1024;
}

function inMb(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}

import path from 'node:path';
import { edits, finishes, modelKey } from '../support/agents-service.ts';
import { KillableService } from '../support/killable-service.ts';
import { repositoryWithoutRemote, temporaryFolder } from '../support/repositories.ts';
import { startScriptedModel, type ScriptedModel } from '../support/scripted-model.ts';
import type { ModelTurn } from '../support/scripted-turns.ts';
import { job, scriptedAgent, scriptedProvider } from './jobs.ts';
import { builtService } from './start.ts';
import { inMs, median, milliseconds, repeat, type Row, times } from './table.ts';

const runs = { most: 7, withinMs: 30_000 };
/** How long the model thinks before each of its answers. */
const thinkMs = 200;

/** A small change as models make it: look, read, change, check, end. */
const script: readonly ModelTurn[] = [
  { kind: 'call', calls: [{ name: 'search', input: { query: 'Log in' } }] },
  { kind: 'call', calls: [{ name: 'read_file', input: { path: 'docs/index.md' } }] },
  edits('docs/index.md', 'Log in', 'Sign in'),
  { kind: 'call', calls: [{ name: 'run_checks', input: {} }] },
  finishes('Changed the start page.'),
];

/** What a job costs beside the time that its model takes: the service, its tools, the checks, git. */
export async function measureModelJob(): Promise<Row[]> {
  using folder = temporaryFolder();
  await using model = await startScriptedModel({
    script: (_request, index) => script[index % script.length]!,
    key: modelKey,
    thinkMs,
  });
  const repository = repositoryWithoutRemote(folder.path, docs);
  const first: number[] = [];
  const later: number[] = [];
  const ruled: number[] = [];
  const bare: number[] = [];
  await repeat(runs, async (run) => {
    await using service = await KillableService.start(path.join(folder.path, `home-${run}`), {
      entry: builtService,
    });
    const { client } = service;
    await client.putProject('docs', { repository });
    await client.putAgents({ providers: [scriptedProvider(model)], commands: [], limits: {} });
    const beyond = async (): Promise<number> => {
      const held = model.heldMs;
      const whole = await milliseconds(() => job(service, 'Say sign in', scriptedAgent));
      return whole - (model.heldMs - held);
    };
    first.push(await beyond());
    later.push(await beyond());
    ruled.push(await milliseconds(() => job(service, 'replace "Log in" with "Sign in"', 'rules')));
    const held = model.heldMs;
    const whole = await milliseconds(() => bareLoop(model));
    bare.push(whole - (model.heldMs - held));
    await service.stop();
  });
  const turns = `${script.length} turns of ${thinkMs} ms`;
  const besides = [
    [later, `Model job of ${turns}: time beyond the model's`],
    [first, `The same as the first one of a process`],
  ] as const;
  return besides.map(([figures, what]) => ({
    what,
    figure: inMs(median(figures)),
    beside: `the same change by the rules agent: ${inMs(median(ruled))}; ${script.length} bare requests: ${inMs(median(bare))}`,
    ratio: times(median(figures), median(ruled)),
  }));
}

const docs = Object.fromEntries([
  ['docs/index.md', '# Start\n\nLog in to start.\n'],
  ...Array.from({ length: 100 }, (_, page) => [
    `docs/page-${page}.md`,
    `# Page ${page}\n\nSee [the start](index.md).\n`,
  ]),
]) as Readonly<Record<string, string>>;

/** As many requests as the job makes, with nothing around them. */
async function bareLoop(model: ScriptedModel): Promise<void> {
  for (let turn = 0; turn < script.length; turn++) {
    const answer = await fetch(`${model.url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${modelKey}` },
      body: JSON.stringify({
        model: 'docs-model',
        stream: true,
        messages: [{ role: 'user', content: 'Say sign in' }],
      }),
    });
    await answer.text();
  }
}

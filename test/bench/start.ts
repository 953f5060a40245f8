import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { KillableService } from '../support/killable-service.ts';
import { temporaryFolder } from '../support/repositories.ts';
import { OwnedProcess } from '../support/vscode-host/owned-process.ts';
import { inMs, median, milliseconds, type Row, times } from './table.ts';

export const builtService = path.resolve(import.meta.dirname, '../../dist/service/service.mjs');

const runs = 7;

/** What a writer waits for when no service runs yet, and what the service costs while it has nothing to do. */
export async function measureStart(): Promise<Row[]> {
  using folder = temporaryFolder();
  const home = path.join(folder.path, 'home');
  await using service = await KillableService.start(home, { entry: builtService });
  // A folder that is not there: the job is accepted and ends at once.
  await service.client.putProject('docs', { repository: path.join(folder.path, 'none') });
  const starts: number[] = [];
  const bare: number[] = [];
  for (let run = 0; run < runs; run++) {
    await service.stop();
    starts.push(
      await milliseconds(async () => {
        await service.restart();
        await service.client.create('docs', 'Fix broken links');
      }),
    );
    bare.push(await milliseconds(bareStart));
  }
  await service.stop();
  await service.restart();
  const resident = residentBytes(service.pid);
  const idle = await bareMemory();
  const start = median(starts);
  const floor = median(bare);
  return [
    {
      what: 'Service: start to the first durable job',
      figure: inMs(start),
      beside: `node -e 0, start to end: ${inMs(floor)}`,
      ratio: times(start, floor),
    },
    {
      what: 'Service: resident memory, idle',
      figure: inMb(resident),
      beside: `a Node that waits: ${inMb(idle)}`,
      ratio: times(resident, idle),
    },
  ];
}

async function bareStart(): Promise<void> {
  await using bare = new OwnedProcess(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await bare.ended;
}

async function bareMemory(): Promise<number> {
  const script = 'process.stdout.write("ready"); process.stdin.resume()';
  await using bare = new OwnedProcess(process.execPath, ['-e', script], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  if (bare.child.stdout) await once(bare.child.stdout, 'data');
  return residentBytes(bare.child.pid ?? 0);
}

function residentBytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}

function inMb(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { runMarker } from './agent-environment.ts';

/** One running process. `started` tells it from a later one with the same number. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly started: string;
}

const run = promisify(execFile);
/** A list of processes comes within milliseconds; PowerShell takes a second or two to start. */
const listTimeLimitMs = 15_000;

/** The user's processes. Ends of processes while it looks are fine. */
export function listProcesses(platform: NodeJS.Platform): Promise<ProcessEntry[]> {
  if (platform === 'linux') return fromProc();
  return platform === 'win32' ? fromPowerShell() : fromPs();
}

/**
 * Values of {@link runMarker} in the environments of processes of ours, by their numbers. The others have none, or
 * the system does not show it.
 */
export async function markersOf(
  pids: readonly number[],
  platform: NodeJS.Platform,
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  if (pids.length === 0 || platform === 'win32') return found;
  if (platform === 'linux') {
    await Promise.all(
      pids.map(async (pid) => {
        const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
        const line = environment.split('\0').find((entry) => entry.startsWith(`${runMarker}=`));
        if (line !== undefined) found.set(pid, line.slice(runMarker.length + 1));
      }),
    );
    return found;
  }
  // With -E, macOS writes the environment behind the command.
  const { stdout } = await run('/bin/ps', ['-E', '-ww', '-o', 'pid=,command=', '-p', pids.join(',')], {
    timeout: listTimeLimitMs,
    maxBuffer: 64 * 1024 * 1024,
  }).catch(() => ({ stdout: '' }));
  const pattern = new RegExp(`^\\s*(\\d+) .*\\b${runMarker}=([0-9a-f]{32})\\b`, 'gm');
  for (const [, pid, marker = ''] of stdout.matchAll(pattern)) found.set(Number(pid), marker);
  return found;
}

async function fromProc(): Promise<ProcessEntry[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(
    names.map(async (name): Promise<ProcessEntry | undefined> => {
      const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => undefined);
      if (stat === undefined) return undefined;
      // The program's name stands in brackets and may hold anything, so the fields are counted behind it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [state, parent, group] = fields;
      // Ended, and only waits to be asked about it.
      if (state === 'Z' || state === 'X') return undefined;
      // Field 22 of the whole line: when it started, in ticks since the machine did.
      return { pid: Number(name), parent: Number(parent), group: Number(group), started: fields[19] ?? '' };
    }),
  );
  return entries.filter((entry) => entry !== undefined);
}

async function fromPs(): Promise<ProcessEntry[]> {
  const { stdout } = await run('/bin/ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], {
    timeout: listTimeLimitMs,
    env: { LC_ALL: 'C' },
  });
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, group, state = '', ...started] = line.trim().split(/\s+/);
    if (pid === undefined || pid === '' || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), started: started.join(' ') }];
  });
}

async function fromPowerShell(): Promise<ProcessEntry[]> {
  const script =
    'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $($_.CreationDate.Ticks)" }';
  const { stdout } = await run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script], {
    timeout: listTimeLimitMs,
    windowsHide: true,
  });
  return stdout.split(/\r?\n/).flatMap((line) => {
    const [pid, parent, started = ''] = line.trim().split(' ');
    if (pid === undefined || pid === '') return [];
    return [{ pid: Number(pid), parent: Number(parent), group: 0, started }];
  });
}

import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { listProcesses, markersOf, type ProcessEntry } from './process-table.ts';

/** A process that we have started, with what tells it and its descendants from everybody else's. */
export interface TreeRoot {
  readonly pid: number;
  /** In the environment of everything that it starts. */
  readonly marker: string;
  /** When it started, as the process table tells; absent: it is ours and has not been waited for yet. */
  readonly started?: string;
}

/** Between two looks whether anything is left, in milliseconds: ending takes a few of them. */
const lookEveryMs = 25;
/** Looks after the last signal; whoever is in the kernel's hands for longer cannot be waited for. */
const lastLooks = 60;

/**
 * Ends a process with everything that it has started, also what left its group or its session: asks first, and
 * kills what is left after `graceMs`. Resolves when nothing of it runs any more.
 *
 * @param platform how processes are listed and ended
 */
export async function endTree(root: TreeRoot, graceMs: number, platform: NodeJS.Platform): Promise<void> {
  if (platform === 'win32') return endWindowsTree(root);
  const tree = new Tree(root, platform);
  let members = await tree.members();
  signal(members, 'SIGTERM');
  const until = performance.now() + graceMs;
  while (members.length > 0 && performance.now() < until) {
    await pause(lookEveryMs);
    members = await tree.members();
  }
  for (let look = 0; members.length > 0 && look < lastLooks; look++) {
    // Again each time: a process may have started another one between the list and the signal.
    signal(members, 'SIGKILL');
    await pause(lookEveryMs);
    members = await tree.members();
  }
}

/** Finds what belongs to a root, one look after the other. */
class Tree {
  readonly #root: TreeRoot;
  readonly #platform: NodeJS.Platform;
  /** By number and start. Whoever belonged once does so for good: a child outlives its parent. */
  readonly #belongs = new Map<string, boolean>();

  constructor(root: TreeRoot, platform: NodeJS.Platform) {
    this.#root = root;
    this.#platform = platform;
  }

  async members(): Promise<ProcessEntry[]> {
    const all = (await listProcesses(this.#platform)).filter(({ pid }) => pid !== process.pid);
    const { pid: rootPid, started } = this.#root;
    const leader = all.find(({ pid }) => pid === rootPid);
    // A number that belongs to somebody else by now; its group then is somebody else's too.
    const reused = leader !== undefined && started !== undefined && leader.started !== started;
    await this.#lookAt(all);
    const pids = new Set<number>();
    for (const entry of all) {
      const grouped = !reused && (entry.pid === rootPid || entry.group === rootPid);
      if (grouped || this.#belongs.get(keyOf(entry))) pids.add(entry.pid);
    }
    for (let before = -1; before !== pids.size;) {
      before = pids.size;
      for (const { pid, parent } of all) if (pids.has(parent)) pids.add(pid);
    }
    const members = all.filter(({ pid }) => pids.has(pid));
    for (const entry of members) this.#belongs.set(keyOf(entry), true);
    return members;
  }

  /** Once for each process: reading all environments again at each look would be the machine's main work. */
  async #lookAt(all: readonly ProcessEntry[]): Promise<void> {
    const unknown = all.filter((entry) => !this.#belongs.has(keyOf(entry)));
    const pids = unknown.map(({ pid }) => pid);
    const markers = await markersOf(pids, this.#platform);
    for (const entry of unknown)
      this.#belongs.set(keyOf(entry), markers.get(entry.pid) === this.#root.marker);
  }
}

function keyOf({ pid, started }: ProcessEntry): string {
  return `${pid} ${started}`;
}

function signal(members: readonly ProcessEntry[], name: 'SIGTERM' | 'SIGKILL'): void {
  for (const { pid } of members) {
    try {
      process.kill(pid, name);
    } catch {
      // Gone by itself meanwhile, or of another user, whom we could not end anyway.
    }
  }
}

/** Windows has no polite way that a program without a window hears. */
async function endWindowsTree(root: TreeRoot): Promise<void> {
  if (root.started !== undefined) {
    const all = await listProcesses('win32');
    if (all.find(({ pid }) => pid === root.pid)?.started !== root.started) return;
  }
  const ended = Promise.withResolvers<void>();
  execFile('taskkill', ['/pid', String(root.pid), '/t', '/f'], { windowsHide: true }, () => ended.resolve());
  await ended.promise;
}

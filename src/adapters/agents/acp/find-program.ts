import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** The machine as far as programs are concerned. */
export interface Machine {
  /** Of the service's process. */
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  /** The user's home folder. */
  readonly home: string;
}

/** What is started: never a shell, so never a script that only a shell can read. */
export interface Program {
  readonly file: string;
  /** Before the command's own arguments. */
  readonly args: readonly string[];
}

export type FoundProgram =
  | { readonly kind: 'found'; readonly program: Program }
  | { readonly kind: 'missing' }
  /** There is a file, but it cannot be started without a shell. */
  | { readonly kind: 'unusable'; readonly file: string };

/**
 * Looks for a program on the path and in the folders where package managers put programs. An editor that was
 * started from the dock has a shorter path than a terminal. Nothing is run.
 *
 * @param name a file name, or an absolute path
 */
export function findProgram(name: string, machine: Machine): FoundProgram {
  if (path.isAbsolute(name)) return asProgram(name, machine);
  // A path that is relative to wherever the service was started is no program of anybody.
  if (/[\\/]/.test(name)) return { kind: 'missing' };
  let unusable: FoundProgram | undefined;
  for (const folder of programFolders(machine)) {
    for (const extension of extensions(name, machine)) {
      const found = asProgram(path.join(folder, name + extension), machine);
      if (found.kind === 'found') return found;
      if (found.kind === 'unusable') unusable ??= found;
    }
  }
  return unusable ?? { kind: 'missing' };
}

/** The path's folders and the usual ones behind them. Relative ones are left out: an agent starts in hostile files. */
export function programFolders({ env, platform, home }: Machine): string[] {
  const given = (valueOf(env, 'PATH') ?? '').split(platform === 'win32' ? ';' : ':');
  const usual =
    platform === 'win32'
      ? [
          path.join(env['APPDATA'] ?? path.join(home, 'AppData', 'Roaming'), 'npm'),
          path.join(env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local'), 'Programs', 'nodejs'),
          path.join(home, '.local', 'bin'),
          path.join(home, '.bun', 'bin'),
          path.join(home, 'scoop', 'shims'),
        ]
      : [
          ...[
            '.local/bin',
            '.npm-global/bin',
            '.opencode/bin',
            '.claude/local',
            '.bun/bin',
            '.volta/bin',
          ].map((folder) => path.join(home, folder)),
          '/opt/homebrew/bin',
          '/usr/local/bin',
          '/home/linuxbrew/.linuxbrew/bin',
          '/usr/bin',
        ];
  return [...new Set([...given, ...usual])].filter((folder) => path.isAbsolute(folder));
}

/** A variable whatever its case, as Windows has them. */
export function valueOf(env: NodeJS.ProcessEnv, upper: string): string | undefined {
  return env[upper] ?? Object.entries(env).find(([name]) => name.toUpperCase() === upper)?.[1];
}

function extensions(name: string, { env, platform }: Machine): string[] {
  if (platform !== 'win32') return [''];
  const known = (valueOf(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').toLowerCase().split(';').filter(Boolean);
  return known.includes(path.extname(name).toLowerCase()) ? [''] : known;
}

function asProgram(file: string, machine: Machine): FoundProgram {
  if (!isRunnable(file, machine)) return { kind: 'missing' };
  if (machine.platform !== 'win32' || /\.(?:exe|com)$/i.test(file)) {
    return { kind: 'found', program: { file, args: [] } };
  }
  const program = /\.cmd$/i.test(file) ? behindShim(file, machine) : undefined;
  return program === undefined ? { kind: 'unusable', file } : { kind: 'found', program };
}

function isRunnable(file: string, { platform }: Machine): boolean {
  try {
    if (!statSync(file).isFile()) return false;
    if (platform !== 'win32') accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * What an npm shim on Windows starts: a `.cmd` file that runs `node` with a script beside it, or a program.
 * Reading it is what keeps `cmd.exe`, and with it its quoting rules, out of the way.
 */
function behindShim(file: string, machine: Machine): Program | undefined {
  const text = readFileSync(file, 'latin1').slice(0, 16_384);
  const target = /"%(?:~dp0|dp0%)\\([^"%]+\.(?:[cm]?js|exe))"\s+%\*/i.exec(text)?.[1];
  if (target === undefined) return undefined;
  const full = path.join(path.dirname(file), ...target.split('\\'));
  if (!isRunnable(full, machine)) return undefined;
  if (/\.exe$/i.test(full)) return { file: full, args: [] };
  const beside = path.join(path.dirname(file), 'node.exe');
  if (isRunnable(beside, machine)) return { file: beside, args: [full] };
  const node = findProgram('node.exe', machine);
  return node.kind === 'found' ? { file: node.program.file, args: [full] } : undefined;
}

import type { ConfigurationEntry } from './environment.ts';
import type { Git } from './run-git.ts';

/**
 * How the person signs in from one checkout. Jobs run git elsewhere, where an `includeIf "gitdir:…"` of the person's
 * own configuration is not heard: many have a key or an account for each of their folders that way.
 */
export interface PersonSettings {
  /** `core.sshCommand`; undefined: as everywhere. */
  readonly sshCommand: string | undefined;
  /** Everything below `credential`, in its order, in the place of what is heard elsewhere; undefined: the same. */
  readonly credentials: readonly ConfigurationEntry[] | undefined;
}

/** The repository's own configuration does not count: it could name any command. Apple's git calls its own unknown. */
const scopesOfThePerson = new Set(['system', 'global', 'unknown']);

export async function readPersonSettings(
  git: Git,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<PersonSettings> {
  const here = await readSettings(git, folder, signal);
  const elsewhere = await readSettings(git, undefined, signal);
  const sshCommand = here.findLast(({ key }) => key === 'core.sshcommand')?.value;
  if (JSON.stringify(here) === JSON.stringify(elsewhere)) return { sshCommand, credentials: undefined };
  return { sshCommand, credentials: here.filter(({ key }) => key !== 'core.sshcommand') };
}

async function readSettings(
  git: Git,
  folder: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ConfigurationEntry[]> {
  const args = ['config', '--show-scope', '-z', '--get-regexp', '^(core\\.sshcommand$|credential\\.)'];
  const cwd = folder === undefined ? {} : { cwd: folder };
  const { stdout } = await git.run(args, { ...cwd, scope: 'user', signal, accept: [1] });
  const entries: ConfigurationEntry[] = [];
  // Scope and entry by turns; a value may have lines, and a key may have no value, which means that it is true.
  const parts = stdout.split('\0');
  for (let index = 0; index + 1 < parts.length; index += 2) {
    if (!scopesOfThePerson.has(parts[index] ?? '')) continue;
    const [key = '', ...lines] = (parts[index + 1] ?? '').split('\n');
    entries.push({ key, value: lines.length === 0 ? 'true' : lines.join('\n') });
  }
  return entries;
}

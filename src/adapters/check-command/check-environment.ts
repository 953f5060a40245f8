import path from 'node:path';

/**
 * What a linter of a docs project needs: programs, its own configuration and cache in the home, a language.
 * No keys, no tokens, no agents of ssh, and no proxies, whose addresses may hold a password.
 */
const handedOn = new Set(
  [
    'PATHEXT HOME USER LOGNAME LANG TZ TMPDIR TMP TEMP XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME',
    'SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC USERPROFILE USERNAME HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA',
    'PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432',
  ].flatMap((line) => line.split(' ')),
);

/** The environment of the check command, on any system. */
export function checkEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    const upper = name.toUpperCase();
    if (value === undefined) continue;
    if (upper === 'PATH') env[name] = absoluteFolders(value, platform);
    else if (handedOn.has(upper) || upper.startsWith('LC_')) env[name] = value;
  }
  return {
    ...env,
    // Nobody watches and nobody answers; colours would stand in a pull request.
    CI: '1',
    NO_COLOR: '1',
    TERM: 'dumb',
    // Else cmd looks for programs among the pages first.
    ...(platform === 'win32' && { NoDefaultCurrentDirectoryInExePath: '1' }),
  };
}

/** A folder that counts from where the command runs would make a file of the repository a program. */
function absoluteFolders(value: string, platform: NodeJS.Platform): string {
  const system = platform === 'win32' ? path.win32 : path.posix;
  return value
    .split(system.delimiter)
    .filter((folder) => system.isAbsolute(folder))
    .join(system.delimiter);
}

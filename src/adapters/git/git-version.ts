import { ServiceError } from '../../service/service-error.ts';

/**
 * 2.31 (March 2021) brought configuration by environment (`GIT_CONFIG_COUNT`), which keeps tokens out of
 * arguments, and `rev-parse --path-format`. Ubuntu 22.04 and Debian 12 have newer ones.
 */
const oldestGit = [2, 31] as const;

const howToInstall: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  win32: 'Install Git for Windows from https://git-scm.com/download/win, then start VS Code again.',
  darwin: 'Install it with "xcode-select --install" or "brew install git", then try again.',
  linux: 'Install the package "git" with your system\'s package manager, then try again.',
};

function installSentence(platform: NodeJS.Platform): string {
  return howToInstall[platform] ?? 'Install git from https://git-scm.com, then try again.';
}

export function missingGit(cause: unknown, platform: NodeJS.Platform = process.platform): ServiceError {
  const message = `Git was not found on this machine. ${installSentence(platform)}`;
  return new ServiceError('git_missing', message, { cause });
}

/** Throws `git_missing` when what `git --version` wrote is too old. Forks append words to the number. */
export function checkGitVersion(text: string, platform: NodeJS.Platform = process.platform): void {
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(text) ?? [];
  const [wantedMajor, wantedMinor] = oldestGit;
  const enough =
    Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor);
  if (enough) return;
  throw new ServiceError(
    'git_missing',
    `Git ${major}.${minor} is too old; version ${oldestGit.join('.')} or newer is needed. ${installSentence(platform)}`,
  );
}

import { mkdir } from 'node:fs/promises';
import path from 'node:path';

/** The longest name of a socket: 103 characters on macOS, 107 on Linux. */
const longestSocketPath = 103;
/** What VS Code and its git extension call their sockets: `vscode-ipc-UUID.sock` is the longest name. */
const longestSocketName = 52;

/**
 * Variables that make an editor keep its sockets and temporary files, which it leaves behind, in a folder that
 * goes with it. None where that folder's name is too long for a socket.
 */
export async function temporaryFilesIn(folder: string): Promise<NodeJS.ProcessEnv> {
  const own = path.join(folder, 'tmp');
  if (own.length + 1 + longestSocketName > longestSocketPath) return {};
  await mkdir(own, { recursive: true, mode: 0o700 });
  // On Windows sockets have no files, and temporary ones are found by other names.
  return process.platform === 'win32' ? { TEMP: own, TMP: own } : { TMPDIR: own, XDG_RUNTIME_DIR: own };
}

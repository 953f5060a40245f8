import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * What agents read at their start and obey: hooks, servers and plugins to run. In a repository it is somebody
 * else's word. Instructions such as AGENTS.md stay, they are text about the project.
 */
const steering =
  /^(?:\.claude|\.codex|\.gemini|\.opencode|\.copilot|\.cursor|\.agents|\.vscode|\.mcp\.json|mcp\.json|opencode\.jsonc?|\.env(?:\..+)?|\.envrc|\.npmrc|bunfig\.toml|\.nvmrc|\.node-version|\.tool-versions|mise\.toml|\.mise\.toml)$/i;

/**
 * Takes out of the workspace's top folder what would steer an agent that is started there. Disposing puts it back
 * as it was; what the agent made under the same name goes.
 */
export async function setAside(directory: string): Promise<AsyncDisposable> {
  const names = (await readdir(directory)).filter((name) => steering.test(name));
  if (names.length === 0) return { [Symbol.asyncDispose]: async () => undefined };
  // Beside the workspace, so that moving is renaming, and so that it goes with it after a crash.
  const keep = await mkdtemp(path.join(path.dirname(directory), 'set-aside-'));
  const moved: string[] = [];
  const putBack = async (): Promise<void> => {
    for (const name of moved) {
      await rm(path.join(directory, name), { recursive: true, force: true, maxRetries: 5 });
      await rename(path.join(keep, name), path.join(directory, name));
    }
    await rm(keep, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    for (const name of names) {
      await rename(path.join(directory, name), path.join(keep, name));
      moved.push(name);
    }
  } catch (error) {
    await putBack();
    throw error;
  }
  return { [Symbol.asyncDispose]: putBack };
}

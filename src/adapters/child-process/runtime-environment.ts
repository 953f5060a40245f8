/**
 * All that a child that works on pages gets of the environment: none of the keys that stand there. Windows
 * finds its own libraries by the first three; `LD_LIBRARY_PATH` is how some Linux distributions start Node.
 */
const needed = new Set(['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'LD_LIBRARY_PATH']);

export function runtimeEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && needed.has(name.toUpperCase())) kept[name] = value;
  }
  // The editor's own program runs as plain Node with it; Node itself does not mind.
  return { ...kept, ELECTRON_RUN_AS_NODE: '1' };
}

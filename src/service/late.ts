import type { CodeHost } from './ports/code-host.ts';

/**
 * Stand-ins for parts that are loaded when the first job needs them. Parsers and the clients of code hosts
 * are most of the program, and a writer's first prompt is accepted without any of them.
 */
export function lateHost(load: () => Promise<CodeHost>): CodeHost {
  const loaded = once(load);
  return {
    connect: async (project, repository, signal) => (await loaded()).connect(project, repository, signal),
  };
}

/** A failed load is tried again: a file may have been locked by an update that is over by then. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return async () => {
    loading ??= load();
    try {
      return await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
}

import type { CodeHost } from './ports/code-host.ts';
import type { Repository } from './ports/workspaces.ts';

/**
 * Stand-ins for parts that are loaded when the first job needs them. Parsers and the clients of code hosts
 * are most of the program, and a writer's first prompt is accepted without any of them.
 *
 * @param takes tells without the part which repositories it may be for; absent: each is shown to it
 */
export function lateHost(
  load: () => Promise<CodeHost>,
  takes: (repository: Repository) => boolean = () => true,
): CodeHost {
  const loaded = once(load);
  return {
    connect: async (project, repository, signal) =>
      takes(repository) ? (await loaded()).connect(project, repository, signal) : undefined,
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

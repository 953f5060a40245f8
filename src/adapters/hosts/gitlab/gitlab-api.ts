import { Branches, MergeRequests, Projects, Users } from '@gitbeaker/core';
import type { RestCall } from '../rest.ts';

/** The parts of GitLab's interface that jobs need, for the time of one signal. */
export interface GitLabApi {
  readonly projects: Projects;
  readonly branches: Branches;
  readonly mergeRequests: MergeRequests;
  readonly users: Users;
}

interface Asked {
  readonly searchParams?: Record<string, unknown>;
  readonly body?: unknown;
}

type Settings = ConstructorParameters<typeof MergeRequests>[0];
type Requester = ReturnType<NonNullable<Settings['requesterFn']>>;

/**
 * gitbeaker over our own caller. Its own one sends by the global `fetch`, follows redirects with the token, repeats
 * on its own without hearing a signal, and its errors hold the request with the token. So the library says what
 * is asked for and how its addresses are written, and nothing else: only its core is bundled.
 */
export function gitlabApi(call: RestCall, signal: AbortSignal): GitLabApi {
  const send =
    (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE') =>
    async (endpoint: string, { searchParams = {}, body }: Asked = {}): Promise<object> => {
      const query = snakeCase(searchParams) as Record<string, string | number | boolean | undefined>;
      const sent = method === 'GET' || body === undefined ? {} : { body: snakeCase(body as object) };
      const answer = await call({ method, path: `/${endpoint}`, query, ...sent }, signal);
      // Without links to more pages: the first one is all that is looked at.
      return { body: answer.data ?? null, status: answer.status, headers: {} };
    };
  const requester = {
    get: send('GET'),
    post: send('POST'),
    put: send('PUT'),
    patch: send('PATCH'),
    delete: send('DELETE'),
  };
  // The caller knows the address and the credential, so the library is told neither.
  const settings = { host: '', queryTimeout: null, requesterFn: () => requester as unknown as Requester };
  return {
    projects: new Projects(settings),
    branches: new Branches(settings),
    mergeRequests: new MergeRequests(settings),
    users: new Users(settings),
  };
}

/** `sourceBranch` → `source_branch`; values stay as they are. */
function snakeCase(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  );
}

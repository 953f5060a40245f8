import * as z from 'zod/v4';
import { hostSignIn } from '../../../service/host-sign-in.ts';
import { readAnswer, type RestAnswer, type RestRequest } from '../rest.ts';
import type { ServerPlace } from './bitbucket-server-place.ts';

const usersSchema = z.object({
  values: z.array(
    z.object({
      name: z.string(),
      slug: z.string().nullish(),
      emailAddress: z.string().nullish(),
    }),
  ),
});

/** User names of the people who may read the repository, by what they are called. */
export async function findUsers(
  send: (request: RestRequest) => Promise<RestAnswer>,
  { projectKey, slug }: ServerPlace,
  wanted: readonly string[],
): Promise<{ names: string[]; missing: string[] }> {
  const names: string[] = [];
  const missing: string[] = [];
  for (const one of wanted) {
    const query = {
      filter: one,
      limit: 100,
      'permission.1': 'REPO_READ',
      'permission.1.projectKey': projectKey,
      'permission.1.repositorySlug': slug,
    };
    const { data } = await send({ path: '/users', query });
    const { values } = readAnswer(usersSchema, data, hostSignIn['bitbucket-server'].name);
    // The filter finds parts of names and addresses too, so a name is one only when it is whole.
    const called = values.filter((user) =>
      [user.name, user.slug, user.emailAddress].some((text) => text?.toLowerCase() === one.toLowerCase()),
    );
    const [user] = called;
    if (user !== undefined && called.length === 1) names.push(user.name);
    else missing.push(one);
  }
  return { names: [...new Set(names)], missing };
}

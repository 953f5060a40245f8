import * as z from 'zod/v4';
import { hostSignIn } from '../../../service/host-sign-in.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { branchInPath } from '../own-site.ts';
import { HostRefusal } from '../refusals.ts';
import { readAnswer, type RestCall } from '../rest.ts';
import { refused } from './gitea-refusals.ts';
import { type GiteaPlace, repositoryPath } from './gitea-place.ts';

const repositorySchema = z.object({
  full_name: z.string(),
  archived: z.boolean().catch(false),
  mirror: z.boolean().catch(false),
  empty: z.boolean().catch(false),
  has_pull_requests: z.boolean().catch(true),
  permissions: z.object({ push: z.boolean() }).optional().catch(undefined),
});

/** Throws a sentence for each reason why a pull request could not be opened later. */
export async function testRepository(
  call: RestCall,
  place: GiteaPlace,
  baseBranch: string,
  signal: AbortSignal,
): Promise<void> {
  const name = `${place.owner}/${place.name}`;
  const get = async (path: string, missing: (error: HostRefusal) => ServiceError): Promise<unknown> => {
    try {
      return (await call({ path }, signal)).data;
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error;
      throw error.status === 404 ? missing(error) : refused(error, name);
    }
  };
  const data = await get(repositoryPath(place), (error) => refused(error, name));
  const found = readAnswer(repositorySchema, data, hostSignIn.gitea.name);
  const reason = unusable(found, name);
  if (reason !== undefined) throw new ServiceError('permission_denied', reason);
  if (found.empty) {
    throw new ServiceError('repository_empty', `${name} has no commit yet. Push the docs to it first.`);
  }
  await get(`${repositoryPath(place)}/branches/${branchInPath(baseBranch)}`, (cause) => {
    const text = `The branch ${baseBranch} does not exist in ${name}. Choose another one in the settings.`;
    return new ServiceError('base_branch_missing', text, { cause });
  });
}

function unusable(found: z.infer<typeof repositorySchema>, name: string): string | undefined {
  if (found.archived) return `${name} is archived at Gitea, so nothing can be changed in it.`;
  if (found.mirror) return `${name} is a mirror at Gitea, so nothing can be pushed to it.`;
  if (found.permissions?.push === false) {
    return `Your Gitea account may read ${name} but not push to it. Ask its owner for write access.`;
  }
  if (!found.has_pull_requests) return `Pull requests are switched off in the settings of ${name}.`;
  return undefined;
}

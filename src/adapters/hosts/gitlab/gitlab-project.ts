import * as z from 'zod/v4';
import type { JobErrorCode } from '../../../contract/errors.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { HostRefusal } from '../refusals.ts';
import { readAnswer } from '../rest.ts';
import type { GitLabApi } from './gitlab-api.ts';
import { refused } from './gitlab-refusals.ts';

/** The lowest role that may push a branch and open a merge request. */
const developer = 30;

const access = z.object({ access_level: z.number() }).nullish().catch(undefined);

const projectSchema = z.object({
  id: z.number(),
  path_with_namespace: z.string(),
  archived: z.boolean().catch(false),
  empty_repo: z.boolean().catch(false),
  merge_requests_access_level: z.string().optional().catch(undefined),
  permissions: z.object({ project_access: access, group_access: access }).optional().catch(undefined),
  remove_source_branch_after_merge: z.boolean().nullish().catch(undefined),
  squash_option: z.string().nullish().catch(undefined),
});

export interface GitLabProject {
  readonly id: number;
  /** What the project's settings say of new merge requests, as its own form would fill it in. */
  readonly squash: boolean;
  readonly removeSourceBranch: boolean;
}

/** Everything about a project that would make a merge request fail later, each with its own sentence. */
export async function testProject(api: GitLabApi, path: string, baseBranch: string): Promise<GitLabProject> {
  const found = readAnswer(projectSchema, await ask(path, () => api.projects.show(path)), 'GitLab');
  const fail = (code: JobErrorCode, message: string): never => {
    throw new ServiceError(code, message);
  };
  const name = found.path_with_namespace;
  if (name.toLowerCase() !== path.toLowerCase()) {
    fail(
      'repository_unavailable',
      `${path} is called ${name} at GitLab now. Set its new address with "git remote set-url".`,
    );
  }
  if (found.archived) {
    fail('permission_denied', `${path} is archived at GitLab, so nothing can be changed in it.`);
  }
  if (found.merge_requests_access_level === 'disabled') {
    fail('permission_denied', `Merge requests are turned off in ${path}. Turn them on in its settings.`);
  }
  // Both are absent where the access comes from elsewhere: an administrator, a group that it is shared with.
  const { project_access: own, group_access: group } = found.permissions ?? {};
  const levels = [own, group].flatMap((one) => (one ? [one.access_level] : []));
  if (levels.length > 0 && Math.max(...levels) < developer) {
    fail(
      'permission_denied',
      `Your GitLab account may read ${path} but not push to it. Ask its owner for the role Developer.`,
    );
  }
  if (found.empty_repo) fail('repository_empty', `${path} has no commit yet. Push the docs to it first.`);
  await testBase(api, found.id, path, baseBranch);
  return {
    id: found.id,
    squash: found.squash_option === 'always' || found.squash_option === 'default_on',
    removeSourceBranch: found.remove_source_branch_after_merge ?? false,
  };
}

async function testBase(api: GitLabApi, id: number, path: string, baseBranch: string): Promise<void> {
  try {
    await api.branches.show(id, baseBranch);
  } catch (error) {
    if (!(error instanceof HostRefusal)) throw error;
    if (error.status !== 404) throw refused(error, path);
    throw new ServiceError(
      'base_branch_missing',
      `The branch ${baseBranch} does not exist in ${path}. Choose another one in the settings.`,
      { cause: error },
    );
  }
}

async function ask(path: string, question: () => Promise<unknown>): Promise<unknown> {
  try {
    return await question();
  } catch (error) {
    throw error instanceof HostRefusal ? refused(error, path) : error;
  }
}

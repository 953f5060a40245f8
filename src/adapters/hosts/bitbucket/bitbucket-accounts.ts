import * as z from 'zod/v4';
import { hostSignIn } from '../../../service/host-sign-in.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { readAnswer, type RestAnswer, type RestRequest } from '../rest.ts';

const pageSize = 100;
/** Two thousand members; whoever comes later is named by uuid. */
const maxPages = 20;

const accountSchema = z.object({
  uuid: z.string(),
  account_id: z.string().nullish(),
  nickname: z.string().nullish(),
  display_name: z.string().nullish(),
});
const membersSchema = z.object({
  values: z.array(z.object({ user: accountSchema })),
  next: z.string().nullish(),
});

/** The accounts of a workspace by what people call them. A name that two of them share is nobody's. */
export async function findAccounts(
  send: (request: RestRequest) => Promise<RestAnswer>,
  workspace: string,
  names: readonly string[],
): Promise<{ uuids: string[]; missing: string[] }> {
  const isUuid = (name: string): boolean => /^\{[0-9a-f-]{36}\}$/i.test(name);
  const found = new Map<string, Set<string>>();
  const wanted = names.filter((name) => !isUuid(name));
  for (let page = 1; page <= maxPages && wanted.length > 0; page++) {
    const path = `/workspaces/${encodeURIComponent(workspace)}/members`;
    const { data } = await lookUp(() => send({ path, query: { pagelen: pageSize, page } }));
    // The address of the next page is the host's text: the number is enough.
    const { values, next } = readAnswer(membersSchema, data, hostSignIn.bitbucket.name);
    for (const { user } of values) {
      for (const name of wanted.filter((one) => isCalled(user, one))) {
        found.set(name, (found.get(name) ?? new Set()).add(user.uuid));
      }
    }
    if (!next || values.length === 0) break;
  }
  const uuids = names.flatMap((name) => {
    if (isUuid(name)) return name;
    const those = found.get(name);
    return those?.size === 1 ? [...those] : [];
  });
  const missing = wanted.filter((name) => found.get(name)?.size !== 1);
  return { uuids: [...new Set(uuids)], missing };
}

/** Access tokens of one repository are kept from the workspace. */
async function lookUp(ask: () => Promise<RestAnswer>): Promise<RestAnswer> {
  try {
    return await ask();
  } catch (error) {
    const kept =
      error instanceof ServiceError && ['permission_denied', 'repository_unavailable'].includes(error.code);
    if (!kept) throw error;
    const text =
      'Bitbucket does not let this sign-in look up reviewers by name. Name them by their {uuid}, or use one that may read the workspace.';
    throw new ServiceError('permission_denied', text, { cause: error });
  }
}

function isCalled(account: z.infer<typeof accountSchema>, name: string): boolean {
  const { account_id: id, nickname, display_name: displayName } = account;
  return [id, nickname, displayName].some((one) => one?.toLowerCase() === name.toLowerCase());
}

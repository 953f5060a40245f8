import * as z from 'zod/v4';
import { hostSignIn } from '../../../service/host-sign-in.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { HostRefusal } from '../refusals.ts';
import { readAnswer, type RestCall } from '../rest.ts';

const identitiesSchema = z.object({
  value: z.array(z.object({ id: z.string(), isActive: z.boolean().nullish().catch(undefined) }).nullable()),
});

/** The ids of people and groups by what they are called. A name that fits several is nobody's. */
export async function findIdentities(
  call: RestCall,
  names: readonly string[],
  signal: AbortSignal,
): Promise<{ ids: Map<string, string>; missing: string[] }> {
  const ids = new Map<string, string>();
  for (const name of names) {
    const query = {
      'api-version': '6.0',
      searchFilter: 'General',
      filterValue: name,
      queryMembership: 'None',
    };
    let data: unknown;
    try {
      ({ data } = await call({ path: '/_apis/identities', query }, signal));
    } catch (error) {
      if (error instanceof ServiceError && error.code !== 'authentication_failed') throw error;
      if (!(error instanceof ServiceError) && !(error instanceof HostRefusal)) throw error;
      // A token for code alone is told that it is none.
      const text =
        'Azure DevOps does not let this token look up reviewers. Give it "Identity (read)" beside "Code".';
      throw new ServiceError('permission_denied', text, { cause: error });
    }
    const { value } = readAnswer(identitiesSchema, data, hostSignIn.azure.name);
    const found = value.filter((one) => one !== null && one.isActive !== false);
    const [first] = found;
    if (first && found.length === 1) ids.set(name, first.id);
  }
  return { ids, missing: names.filter((name) => !ids.has(name)) };
}

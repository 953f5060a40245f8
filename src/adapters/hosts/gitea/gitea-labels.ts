import * as z from 'zod/v4';
import { hostSignIn } from '../../../service/host-sign-in.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { readAnswer, type RestAnswer, type RestRequest } from '../rest.ts';
import { type GiteaPlace, repositoryPath } from './gitea-place.ts';

const pageSize = 50;
/** Far above what anybody chooses from. */
const maxPages = 10;

const labelsSchema = z.array(z.object({ id: z.int(), name: z.string() }));

type Send = (request: RestRequest) => Promise<RestAnswer>;

/** The numbers of labels, which Gitea wants, of the repository and of the organisation that owns it. */
export async function labelIds(
  send: Send,
  place: GiteaPlace,
  names: readonly string[],
): Promise<{ ids: number[]; missing: string[] }> {
  const known = new Map<string, number>();
  const lists = [`${repositoryPath(place)}/labels`, `/orgs/${encodeURIComponent(place.owner)}/labels`];
  for (const path of lists) {
    if (names.every((name) => known.has(folded(name)))) break;
    for (const { id, name } of await readList(send, path)) {
      if (!known.has(folded(name))) known.set(folded(name), id);
    }
  }
  const ids = names.flatMap((name) => known.get(folded(name)) ?? []);
  return { ids: [...new Set(ids)], missing: names.filter((name) => !known.has(folded(name))) };
}

async function readList(send: Send, path: string): Promise<z.infer<typeof labelsSchema>> {
  const labels: z.infer<typeof labelsSchema> = [];
  for (let page = 1; page <= maxPages; page++) {
    let answer: RestAnswer;
    try {
      answer = await send({ path, query: { limit: pageSize, page } });
    } catch (error) {
      // The owner is a person, or the token may not look at organisations: there is nothing more to choose from.
      const none = error instanceof ServiceError && !error.retryable && path.startsWith('/orgs/');
      if (none) return labels;
      throw error;
    }
    const { data, headers } = answer;
    const some = readAnswer(labelsSchema, data, hostSignIn.gitea.name);
    labels.push(...some);
    if (some.length === 0 || labels.length >= Number(headers.get('x-total-count') ?? Infinity)) break;
  }
  return labels;
}

function folded(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

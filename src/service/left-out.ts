import { codeSpan } from './neutralise.ts';
import type { Workspace } from './ports/workspaces.ts';

/** Named one by one; more are only counted. */
const mostNamed = 5;
/** Characters of a name; an agent may think of longer ones. */
const longestName = 200;

/**
 * A summary that also tells which new pages git leaves out, so that nobody looks for them in the change.
 *
 * @param redact blanks out secrets: names are an agent's words too, and are in no diff that is looked through
 */
export async function withLeftOut(
  summary: string,
  workspace: Pick<Workspace, 'leftOut'>,
  redact: (text: string) => string,
): Promise<string> {
  const paths = await workspace.leftOut();
  if (paths.length === 0) return summary;
  const named = paths.slice(0, mostNamed).map((name) => codeSpan(redact(name).slice(0, longestName)));
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : '';
  const sentence =
    `The ignore rules of the repository (.gitignore) leave out of the change what was newly written here: ` +
    `${named.join(', ')}${more}. Ask for another place, or for a change of these rules.`;
  return summary === '' ? sentence : `${summary}\n\n${sentence}`;
}

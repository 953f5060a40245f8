import type { Workspace } from './ports/workspaces.ts';

/** Named one by one; more are only counted. */
const mostNamed = 5;

/** A summary that also tells which new pages git leaves out, so that nobody looks for them in the change. */
export async function withLeftOut(summary: string, workspace: Pick<Workspace, 'leftOut'>): Promise<string> {
  const paths = await workspace.leftOut();
  if (paths.length === 0) return summary;
  const named = paths.slice(0, mostNamed).join(', ');
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : '';
  const sentence =
    `The ignore rules of the repository (.gitignore) leave out of the change what was newly written here: ` +
    `${named}${more}. Ask for another place, or for a change of these rules.`;
  return summary === '' ? sentence : `${summary}\n\n${sentence}`;
}

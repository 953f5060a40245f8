import type { DocsChange } from '../docset/change-checks.ts';
import type { Problem } from '../docset/checks.ts';
import type { CheckReport } from './job.ts';
import type { Change, Workspace } from './ports/workspaces.ts';

/** `checkDocsChange` of the docset, or what stands for it: what a change made worse, and nothing else. */
export type PageCheck = (change: DocsChange, signal: AbortSignal) => Promise<readonly Problem[]>;

/** Checks the docs after a change, against a copy of what was there before. */
export async function checkChange(
  workspace: Workspace,
  change: Change,
  check: PageCheck,
  signal: AbortSignal,
): Promise<CheckReport> {
  await using parent = await workspace.openCopy(workspace.parentCommit);
  const problems = await check(
    {
      directory: workspace.directory,
      parentDirectory: parent.directory,
      docsRoot: workspace.repository.docsRoot,
      files: change.files.map(({ path, previousPath, change: kind }) => ({
        path,
        change: kind,
        ...(previousPath !== undefined && { previousPath }),
      })),
    },
    signal,
  );
  return {
    pages: change.files.filter((file) => file.change !== 'deleted').length,
    problems: problems.map(({ path, line, message }) => `${path}, line ${line}: ${message}`),
  };
}

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isPage } from '../../../../docset/docset.ts';
import { rootOf } from './tool-run.ts';
import type { ToolRun } from './tool-run.ts';
import { walkFiles } from './walk-files.ts';

/** The pages that the tools changed, and those that have changed since their first use, be it only their name. */
export async function changedPages(run: ToolRun): Promise<string[]> {
  const root = await rootOf(run);
  const { paths, since } = run.changed;
  const { files } = await walkFiles(root, '', run.signal);
  const found: string[] = [];
  for (const path of files) {
    if (!isPage(path)) continue;
    const isNew =
      paths.has(path) || ((await lstat(join(root, path)).catch(() => undefined))?.ctimeMs ?? 0) >= since;
    if (isNew) found.push(path);
  }
  return found;
}

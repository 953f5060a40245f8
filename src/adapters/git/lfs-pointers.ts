import { ServiceError } from '../../service/service-error.ts';
import type { RawChange } from './change-list.ts';
import type { Mirror } from './mirror.ts';
import { readText } from './read-text.ts';

/** The first line of every pointer (specification of Git LFS, version 1). */
const pointerStart = 'version https://git-lfs.github.com/spec/';

/** Bytes; a pointer may not be larger. A page about LFS may well hold one. */
const maxPointer = 1024;

/**
 * A file that Git LFS keeps elsewhere is only a pointer here, and the workspace shows the pointer: writing
 * into it would lose the real file for everybody. Moving or deleting one is fine.
 */
export async function refusePointerEdits(
  mirror: Mirror,
  parentCommit: string,
  changes: readonly RawChange[],
): Promise<void> {
  const edited = changes.filter(
    ({ change, sameContent }) => (change === 'modified' || change === 'renamed') && !sameContent,
  );
  if (edited.length === 0) return;
  // Nearly every repository ends here; only one with LFS is searched as a whole.
  const attributes = ['--', '.gitattributes', ':(glob)**/.gitattributes'];
  if ((await filesWith(mirror, parentCommit, 'filter=lfs', attributes)).size === 0) return;
  const candidates = await filesWith(mirror, parentCommit, pointerStart);
  for (const { path, previousPath = path } of edited) {
    if (!candidates.has(previousPath)) continue;
    const before = await readText(mirror, parentCommit, [previousPath], maxPointer);
    if (before?.startsWith(pointerStart)) throw refusal(path);
  }
}

function refusal(path: string): ServiceError {
  return new ServiceError(
    'protected_path',
    `The change writes into ${path}, whose content Git LFS keeps elsewhere. Change that file by hand.`,
  );
}

async function filesWith(
  mirror: Mirror,
  commit: string,
  text: string,
  where: readonly string[] = [],
): Promise<ReadonlySet<string>> {
  const { stdout } = await mirror.run(['grep', '-lz', '-F', '-e', text, commit, ...where], { accept: [1] });
  // Each name stands after the commit and a colon.
  return new Set(
    stdout
      .split('\0')
      .filter(Boolean)
      .map((name) => name.slice(commit.length + 1)),
  );
}

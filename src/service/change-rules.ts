import type { JobLimits } from './limits.ts';
import type { Change } from './ports/workspaces.ts';
import { whyProtected, type PathRules } from './protected-paths.ts';
import { ServiceError } from './service-error.ts';

const shownPaths = 5;

/** Refuses a change that nobody asked for or nobody can review: `protected_path`, `change_too_large`. */
export function refusedChange(change: Change, rules: PathRules, limits: JobLimits): ServiceError | undefined {
  const refused = change.files.flatMap((file) =>
    [file.path, ...(file.previousPath === undefined ? [] : [file.previousPath])].flatMap((path) => {
      const why = whyProtected(path, rules);
      return why === undefined ? [] : [`${path} ${why}`];
    }),
  );
  if (refused.length > 0) {
    const more = refused.length > shownPaths ? ` and ${refused.length - shownPaths} more` : '';
    return new ServiceError(
      'protected_path',
      `The change touches files that a job may not change: ${refused.slice(0, shownPaths).join('; ')}${more}. ` +
        'Nothing was pushed. The diff can be read; make such a change by hand.',
    );
  }
  if (change.files.length > limits.filesChanged) {
    return tooLarge(`${change.files.length} files, and the limit is ${limits.filesChanged}`);
  }
  if (change.patchBytes > limits.patchBytes) {
    return tooLarge(
      `${megabytes(change.patchBytes)} MB, and the limit is ${megabytes(limits.patchBytes)} MB`,
    );
  }
  return undefined;
}

function tooLarge(size: string): ServiceError {
  return new ServiceError(
    'change_too_large',
    `The change is too large to be reviewed: ${size}. Nothing was pushed. Ask for less at a time, for example one folder.`,
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

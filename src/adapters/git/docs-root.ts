import { ServiceError } from '../../service/service-error.ts';

/** The folder of the docs as a path inside the repository. Throws `repository_unavailable` when it leaves it. */
export function normaliseDocsRoot(text: string): string {
  const parts = text
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  const outside = text.startsWith('/') || /^[A-Za-z]:/.test(text) || parts.includes('..');
  if (outside || parts.some((part) => part.toLowerCase() === '.git' || part.includes('\0'))) {
    throw new ServiceError(
      'repository_unavailable',
      'The docs folder of the project must lie in its repository.',
    );
  }
  return parts.join('/');
}

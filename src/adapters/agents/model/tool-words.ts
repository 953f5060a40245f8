/** Characters that are looked at of an argument. */
const longestArgument = 10_000;

/**
 * What a call of a tool does, as a phrase for people: it is shown while the job runs.
 *
 * @param redact blanks out secrets, which no cut may make unknown
 */
export function callInWords(name: string, input: unknown, redact: (text: string) => string): string {
  const about = (field: string): string => {
    const value =
      typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[field] : undefined;
    return typeof value === 'string'
      ? redact(value.slice(0, longestArgument))
          .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
          .slice(0, 120)
          .toWellFormed()
      : '';
  };
  const path = about('path');
  switch (name) {
    case 'list_files':
      return `Looking through ${path === '' || path === '.' ? 'the files' : path}`;
    case 'search':
      return `Searching for “${about('query')}”`;
    case 'outline':
      return `Looking at the outline of ${path === '' ? 'the docs' : path}`;
    case 'read_file':
      return `Reading ${path}`;
    case 'edit_file':
      return `Editing ${path}`;
    case 'write_file':
      return `Writing ${path}`;
    case 'move_file':
      return `Moving ${about('from')} to ${about('to')}`;
    case 'delete_file':
      return `Deleting ${path}`;
    case 'run_checks':
      return 'Checking the pages';
    case 'run_rule':
      return `Carrying out: ${about('instruction')}`;
    default:
      return 'Working on the pages';
  }
}

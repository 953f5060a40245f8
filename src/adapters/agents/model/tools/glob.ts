import { LinePattern } from './line-pattern.ts';

/**
 * A pattern for paths, as `*.mdx` (in any folder) or `guides/**` (from the folder that is looked through). Knows
 * `*`, `**`, `?`, `[…]` and `{a,b}`. Its time grows with the path alone.
 *
 * @returns a sentence when the pattern cannot be used
 */
export function globOf(pattern: string): ((path: string) => boolean) | string {
  const clean = pattern.trim().replace(/^\.?\//, '');
  if (clean === '' || clean.length > 300) return 'The pattern is empty or too long.';
  const source = sourceOf(clean.endsWith('/') ? `${clean}**` : clean);
  const anywhere = clean.replace(/\/$/, '').includes('/') ? '' : '(?:.*/)?';
  const compiled = LinePattern.from(`^${anywhere}${source}$`, false, false);
  if (typeof compiled === 'string')
    return `The pattern "${clean}" cannot be used. Write it like "*.mdx" or "guides/**".`;
  return (path) => compiled.endOfMatch(path, 0, path.length) !== -1;
}

function sourceOf(pattern: string): string {
  let depth = 0;
  return pattern.replaceAll(/\*\*\/|\*\*|\*|\?|\[!?[^\]/]*\]|[{},]|[\\^$.|+()[\]-]/g, (sign) => {
    switch (sign) {
      case '**/':
        return '(?:.*/)?';
      case '**':
        return '.*';
      case '*':
        return '[^/]*';
      case '?':
        return '[^/]';
      case '{':
        depth += 1;
        return '(?:';
      case '}':
        if (depth === 0) return String.raw`\}`;
        depth -= 1;
        return ')';
      case ',':
        return depth > 0 ? '|' : ',';
      default:
        return /^\[.+\]$/.test(sign) ? sign.replace(/^\[!/, '[^') : `\\${sign}`;
    }
  });
}

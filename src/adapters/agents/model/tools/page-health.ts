import { anchorsOf } from '../../../../docset/anchors.ts';
import { detectLayout } from '../../../../docset/layout.ts';
import { isPage } from '../../../../docset/docset.ts';
import { readFrontMatter, readYamlText } from '../../../../docset/front-matter.ts';
import { parsePage } from '../../../../docset/parse.ts';
import { anchorWarning, navigationWarning } from './change-warnings.ts';
import { rootOf } from './tool-run.ts';
import type { ToolRun } from './tool-run.ts';

/**
 * What a change broke in a file, as a warning to the one who made it; empty when nothing did. The change is kept:
 * the next edit may be its other half.
 *
 * @param before undefined for a new file
 */
export async function warningAfter(
  run: ToolRun,
  path: string,
  before: string | undefined,
  text: string,
): Promise<string> {
  const generator = (await detectLayout(await rootOf(run), run.place.docsRoot, [])).generator;
  const trouble = troubleOf(path, text, generator);
  if (trouble !== undefined) {
    const old = before === undefined ? undefined : troubleOf(path, before, generator);
    const since = old === undefined ? 'Mend it now.' : 'It had trouble of this kind before your change.';
    return `\nWarning: ${trouble} ${since}`;
  }
  if (!isPage(path)) return navigationWarning(run, path, before, text);
  if (before === undefined) return '';
  const [was, is] = [parsePage(before, path, generator), parsePage(text, path, generator)];
  const lost =
    was.kind === 'parsed' && was.dialect === 'mdx' && is.kind === 'parsed' && is.dialect === 'markdown';
  if (!lost) {
    return was.kind === 'parsed' && is.kind === 'parsed'
      ? anchorWarning(run, path, anchorsOf(before, was.tree, generator), anchorsOf(text, is.tree, generator))
      : '';
  }
  const reason = parsePage(text, `${path}.mdx`, generator);
  const where = reason.kind === 'failed' ? ` Line ${reason.line}: ${reason.reason}.` : '';
  return `\nWarning: this site reads the page as MDX, and it is no valid MDX any more.${where} Mend it now.`;
}

type Generator = Parameters<typeof parsePage>[2];

function troubleOf(path: string, text: string, generator: Generator): string | undefined {
  if (isPage(path)) {
    const parsed = parsePage(text, path, generator);
    if (parsed.kind === 'failed') {
      return parsed.cause === 'limit'
        ? undefined
        : `the page cannot be parsed, line ${parsed.line}: ${parsed.reason}.`;
    }
    const matter = readFrontMatter(text, parsed.tree);
    return matter.kind === 'invalid'
      ? `the front matter is invalid, line ${matter.line}: ${matter.reason}.`
      : undefined;
  }
  if (/\.json$/i.test(path)) {
    try {
      JSON.parse(text);
    } catch (error) {
      return `the file is no valid JSON: ${error instanceof Error ? error.message.slice(0, 200) : ''}.`;
    }
  }
  if (/\.ya?ml$/i.test(path)) {
    const yaml = readYamlText(text, 0);
    return yaml.kind === 'invalid'
      ? `the file is no valid YAML, line ${yaml.line}: ${yaml.reason}.`
      : undefined;
  }
  return undefined;
}

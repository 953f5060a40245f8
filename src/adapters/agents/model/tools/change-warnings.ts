import { anchorChanges, hasAnchor } from '../../../../docset/anchors.ts';
import type { PageAnchors } from '../../../../docset/anchors.ts';
import { noAnchor } from '../../../../docset/checks.ts';
import { openDocset } from '../../../../docset/docset.ts';
import { navigationEntries, navigationTargets } from '../../../../docset/navigation-entries.ts';
import { navigationFiles } from '../../../../docset/navigation.ts';
import { openSite } from '../../../../docset/site.ts';
import type { Site } from '../../../../docset/site.ts';
import { linksToAnchors, navigationNaming } from '../../../../docset/who-names.ts';
import { rememberProblems } from './known-problems.ts';
import { count, placesOf } from './tool-answer.ts';
import type { ToolRun } from './tool-run.ts';

/** Anchors named in one warning. */
const namedAnchors = 10;

export async function siteOf({ place, signal }: ToolRun): Promise<Site> {
  return openSite(await openDocset(place.directory, place.docsRoot, signal), signal);
}

/** Tells of links that lead to anchors which a change of a page took away. */
export async function anchorWarning(
  run: ToolRun,
  path: string,
  was: PageAnchors,
  is: PageAnchors,
): Promise<string> {
  // What is put in from elsewhere is no reason to keep silent about a heading that was on the page itself.
  const lost = new Set([...was.possible].filter((anchor) => !hasAnchor({ ...is, open: false }, anchor)));
  if (lost.size === 0) return '';
  const places = await linksToAnchors(await siteOf(run), path, lost, run.signal);
  if (places.length === 0) return '';
  const pages = places.map((page) => page.path);
  await rememberProblems(run, pages, new Set([...lost].map((anchor) => noAnchor(path, anchor))));
  for (const page of pages) run.changed.paths.add(page);
  const isAlike = was.headings.length === is.headings.length && was.titles.length === is.titles.length;
  const fresh = isAlike ? anchorChanges(was, is) : new Map<string, string>();
  const names = [...lost]
    .filter((anchor) => was.headings.some(({ id }) => id === anchor) || was.titles.includes(anchor))
    .slice(0, namedAnchors)
    .map((anchor) => {
      const now = fresh.get(anchor);
      return now === undefined ? `#${anchor}` : `#${anchor} (now #${now})`;
    });
  const links = places.reduce((sum, { lines }) => sum + lines.length, 0);
  return `\nWarning: links lead to anchors that your change took away${names.length > 0 ? `: ${names.join(', ')}` : ''}. Mend the ${count(links, 'link')}:\n${placesOf(places)}`;
}

/** Tells of entries without a page that a change put into a navigation file. */
export async function navigationWarning(
  run: ToolRun,
  path: string,
  before: string | undefined,
  text: string,
): Promise<string> {
  const site = await siteOf(run);
  if (!(await navigationFiles(site.docset)).some((file) => file.path === path)) return '';
  const leads = navigationTargets(site);
  const old = new Set(
    before === undefined ? [] : navigationEntries(site, { path, text: before }).map(({ name }) => name),
  );
  const missing = navigationEntries(site, { path, text }).filter(
    ({ name, certain }) => certain && !old.has(name) && !leads(name),
  );
  if (missing.length === 0) return '';
  const shown = missing.slice(0, namedAnchors).map(({ name, line }) => `${name} (line ${line})`);
  return `\nWarning: it lists ${missing.length === 1 ? 'a page that is' : 'pages that are'} not there: ${shown.join(', ')}. Make the page, or correct the entry.`;
}

/** Says of a file that is new at its place whether the navigation names it; empty where the site has none. */
export async function navigationHint(run: ToolRun, path: string): Promise<string> {
  const site = await siteOf(run);
  const files = await navigationFiles(site.docset);
  if (files.length === 0) return '';
  const naming = await navigationNaming(site, path);
  if (naming.length > 0) return ` ${naming.join(', ')} lists it.`;
  const { configPath = '' } = site.docset.layout;
  return ` No navigation file lists it (${configPath} and what belongs to it): add it where the pages beside it are listed.`;
}

const codes = new Set(
  'ar bg bn ca cs cn da de el en es et fa fi fr gl gr he hi hr hu id it ja jp ka km ko kr lt lv ms nb nl nn no pl pt ro ru sk sl sr sv sw ta th tr tw uk ur uz vi zh'.split(
    ' ',
  ),
);

/**
 * Pages that are translations: they lie in a folder named by a language other than English that has at least
 * one other language beside it.
 */
export function translatedPages(pages: readonly string[]): Set<string> {
  const siblings = new Map<string, Set<string>>();
  const places = pages.map((page) => {
    const parts = page.split('/');
    const at = parts.slice(0, -1).findIndex(isLanguage);
    if (at === -1) return undefined;
    const parent = parts.slice(0, at).join('/');
    const language = parts[at] ?? '';
    siblings.set(parent, (siblings.get(parent) ?? new Set()).add(language));
    return { page, parent, language };
  });
  const translated = places.filter(
    (place) => place && !/^en\b/i.test(place.language) && (siblings.get(place.parent)?.size ?? 0) > 1,
  );
  return new Set(translated.flatMap((place) => (place ? [place.page] : [])));
}

function isLanguage(folder: string): boolean {
  const [code = '', region, ...rest] = folder.split(/[-_]/);
  return (
    rest.length === 0 &&
    codes.has(code) &&
    (region === undefined || /^(?:[A-Z][a-z]{3}|[A-Za-z]{2})$/.test(region))
  );
}

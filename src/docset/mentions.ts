/** Up to so many names one pattern for all of them is faster than taking the text apart. */
const fewNames = 16;

/** What a name is made of that a text can be taken apart into. */
const plainName = /^[^\s()[\]<>"'`#?/\\,;:|{}=]+$/;
const token = /[^\s()[\]<>"'`#?/\\,;:|{}=]+/g;
const extension = /\.(?:mdx?|markdown|html?)$/i;
/** The last part of a link's path, and its anchor. */
const anchored = /([^\s()[\]<>"'`#?/\\]{0,300})\/?#([^\s()[\]<>"'`]{1,300})/g;

/**
 * Tells pages that may link to one of many names from those that certainly do not, at the speed of a text
 * search. Names and anchors are searched as they are and percent-encoded.
 *
 * @param names last parts of addresses and paths: a page's without extension, any other file's with it
 * @param anchors without `#`, each with the names that its pages go by; empty for the page of a folder
 */
export function searchForLinks(
  names: Iterable<string>,
  anchors: ReadonlyMap<string, Iterable<string>>,
): (text: string) => boolean {
  const byName = searchNames(spellings(names));
  const byAnchor = searchAnchors(anchors);
  return (text) => byAnchor(text) || byName(text);
}

function spellings(names: Iterable<string>): ReadonlySet<string> {
  return new Set([...names].flatMap((name) => (name === '' ? [] : [name, encodeURI(name.toWellFormed())])));
}

function searchNames(names: ReadonlySet<string>): (text: string) => boolean {
  if (names.size === 0) return () => false;
  const list = [...names];
  if (names.size <= fewNames) {
    // Words of prose are called like pages, too: a link has something of a link around the name.
    const any = list.map((name) => name.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('|');
    const link = new RegExp(
      String.raw`(?:[/("'<]|^[ \t]*|:[ \t]*)(?:${any})(?:\.\w{2,8})?(?:[/#?)"'>\s]|$)`,
      'm',
    );
    return (text) => list.some((name) => text.includes(name)) && link.test(text);
  }
  const odd = list.filter((name) => !plainName.test(name));
  return (text) => {
    if (odd.some((name) => text.includes(name))) return true;
    for (const [word] of text.matchAll(token)) {
      if (names.has(word) || names.has(word.replace(extension, ''))) return true;
    }
    return false;
  };
}

function searchAnchors(anchors: ReadonlyMap<string, Iterable<string>>): (text: string) => boolean {
  const names = new Map<string, Set<string>>();
  for (const [anchor, of] of anchors) {
    const all = [...of];
    for (const spelling of spellings([anchor])) {
      // A path that ends in dots leads to a folder's page.
      const folder = all.includes('') ? ['', '.', '..'] : [];
      names.set(spelling, new Set([...spellings(all), ...folder]));
    }
  }
  if (names.size === 0) return () => false;
  return (text) => {
    for (const [, name = '', anchor = ''] of text.matchAll(anchored)) {
      const of = names.get(anchor);
      if (of?.has(name) === true || of?.has(name.replace(extension, '')) === true) return true;
    }
    return false;
  };
}

import type { Instruction, ScopeWords, WordingOptions } from './instruction.ts';
import { unquote } from './quotes.ts';

/** What stands in a clause beside the instruction itself. */
export interface Modifiers {
  readonly scope: ScopeWords;
  readonly options: Partial<Omit<WordingOptions, 'reach'>> & {
    readonly reach: Partial<WordingOptions['reach']>;
  };
}

interface Found {
  only: string[];
  except: string[];
  code?: boolean;
  frontMatter?: boolean;
  links?: boolean;
  insideWords?: boolean;
  matchCase?: boolean;
}

type Rule = readonly [pattern: RegExp, apply: (found: Found, words: string) => void];

const places = String.raw`(?:the )?(code(?: blocks?| spans?| samples?| examples?| snippets?)?|front ?matter|urls?|links?|link targets?|addresses)`;
const joiner = String.raw`(?:,|;|:|-|–|—|\()?\s*`;

/** Each takes its words from the end of the clause; the loop below goes on until none fits. */
const rules: readonly Rule[] = [
  [
    new RegExp(
      `${joiner}\\b(?:but |and )?(?:also|including|even|too|plus)(?: those)?(?: in| inside| within)? ${places}(?: and (?:in )?${places})?(?: too| as well)?\\)?$`,
      'i',
    ),
    (found, words) => reachInto(found, words, true),
  ],
  [
    new RegExp(`${joiner}\\b(?:and )?(?:in|inside) ${places} (?:too|as well|also)\\)?$`, 'i'),
    (found, words) => reachInto(found, words, true),
  ],
  [
    new RegExp(
      `${joiner}\\b(?:but |and )?(?:not|never|except|excluding|without|leaving out|leave out|skip|skipping|leave|keep|don['’]t touch|do not touch)(?: in| inside| within)? ${places}(?: (?:and|or) (?:in )?${places})?(?: alone| untouched| as (?:it is|they are|is))?\\)?$`,
      'i',
    ),
    () => undefined,
  ],
  [
    /(?:,|-|\()?\s*\b(?:also |even |including )?(?:inside|within|as (?:a )?part of|in the middle of) (?:other |longer )?words?(?: too| as well)?\)?$/i,
    (found) => {
      found.insideWords = true;
    },
  ],
  [
    /(?:,|-|\()?\s*\b(?:also |including )?(?:partial words|parts of words|substrings?)\)?$/i,
    (found) => {
      found.insideWords = true;
    },
  ],
  [
    /(?:,|-|\()?\s*\b(?:only |as )?whole words?(?: only)?\)?$/i,
    (found) => {
      found.insideWords = false;
    },
  ],
  [
    /(?:,|-|\()?\s*\b(?:and )?(?:match(?:ing)?(?: the)? case|case[- ]sensitive(?:ly)?|(?:with )?exact(?:ly)?(?: the)?(?: same)? (?:case|capitals|capitalization|capitalisation)|only in (?:this|that|the same) case)\)?$/i,
    (found) => {
      found.matchCase = true;
    },
  ],
  [
    /(?:,|-|\()?\s*\b(?:and )?(?:keep(?:ing)?(?: the)? (?:case|capitals|capitalization|capitalisation)|ignor(?:e|ing) case|case[- ]insensitive(?:ly)?|in (?:any|every) case)\)?$/i,
    (found) => {
      found.matchCase = false;
    },
  ],
  [
    /(?:,|-|\()?\s*\b(?:only )?in (?:all|every)(?: the| our)? \.(?:mdx?|markdown) (?:files?|pages?)\)?$/i,
    (found, words) => {
      found.only.push(`*${/\.\w+/.exec(words)?.[0] ?? ''}`);
    },
  ],
  [
    /(?:,|-)?\s*\b(?:everywhere|throughout(?: (?:the |our |all (?:the )?)?(?:docs|documentation|pages|site|project|manual|guide))?|(?:in|on|across|over|for) (?:all|every|the whole|the entire|the|our)(?: of)?(?: the| our)? ?(?:docs|documentation|pages?|files?|site|project|repository|repo|places))$/i,
    () => undefined,
  ],
];

function reachInto(found: Found, words: string, value: boolean): void {
  if (/\bcode/i.test(words)) found.code = value;
  if (/front ?matter/i.test(words)) found.frontMatter = value;
  if (/\burls?\b|\blinks?\b|link targets?|addresses/i.test(words)) found.links = value;
}

/**
 * The quoted marker, a word with `/`, `.` or `*` in it, or a name with a word that says what it is.
 * Anything else after "in" may be a part of the new words, so it is no scope.
 */
const item = String.raw`(?:the )?(?:(?:pages?|files?|folders?|director(?:y|ies)|sections?) (?:⟦\d+⟧|[\w./*{}!-]+)(?:\/)?|(?:⟦\d+⟧|[\p{L}\p{N}_./*{}!-]+(?: [\p{L}\p{N}_-]+)?) (?:pages?|files?|folders?|director(?:y|ies)|sections?|guides?)|⟦\d+⟧|[\p{L}\p{N}_.{}!-]*[/*][\p{L}\p{N}_./*{},!-]*|[\p{L}\p{N}_-]+\.(?:mdx?|markdown))`;
const list = `${item}(?:(?:,? and |,? or |, )(?:in )?${item})*`;
const only = new RegExp(
  String.raw`(?:,|-|\()?\s*\b(?:but )?(?:and )?(?:also )?(?:only )?(?:in|within|under|inside|on|for|below|across)(?: only)? (${list})(?: only| too| as well)?\)?$`,
  'iu',
);
/** After two quoted pieces nothing but a place can follow, so a single word is enough: `"a" with "b" in guides`. */
const bareOnly =
  /(⟦\d+⟧)(?:,|-)? \(?(?:but )?(?:only )?(?:in|within|under|inside|on|below|across) (?:the )?([\p{L}\p{N}_-]+)\)?$/iu;
const bareExcept =
  /(⟦\d+⟧)(?:,|-)?(?: everywhere,?)? \(?(?:but )?(?:except|excluding|not|without)(?: for)?(?: in| on| within| under| inside)? (?:the )?([\p{L}\p{N}_-]+)\)?$/iu;
const except = new RegExp(
  String.raw`(?:,|-|\()?\s*\b(?:but )?(?:except|excluding|not|without|leaving out|leave out|skip|skipping|ignoring)(?: for)?(?: in| on| within| under| inside)? (${list})\)?$`,
  'iu',
);

/** Takes scope and options from the end of a clause. `rest` is what remains. */
export function takeModifiers(
  clause: string,
  quoted: readonly string[],
): { rest: string; modifiers: Modifiers } {
  const found: Found = { only: [], except: [] };
  let rest = clause.trim();
  for (let rounds = 0; rounds < 12; rounds += 1) {
    const before = rest;
    for (const [pattern, apply] of rules) {
      const match = pattern.exec(rest);
      if (!match) continue;
      apply(found, match[0]);
      rest = rest.slice(0, match.index).trimEnd();
    }
    for (const [pattern, target] of [
      [except, found.except],
      [only, found.only],
    ] as const) {
      const match = pattern.exec(rest);
      if (!match) continue;
      target.push(...splitList(match[1] ?? '', quoted));
      rest = rest.slice(0, match.index).trimEnd();
    }
    for (const [pattern, target] of [
      [bareExcept, found.except],
      [bareOnly, found.only],
    ] as const) {
      const match = pattern.exec(rest);
      if (!match || (rest.match(/⟦\d+⟧/g)?.length ?? 0) < 2) continue;
      target.push(match[2] ?? '');
      rest = rest.slice(0, match.index) + (match[1] ?? '');
    }
    if (rest === before) break;
  }
  const { only: onlyWords, except: exceptWords, code, frontMatter, links, ...options } = found;
  return {
    rest,
    modifiers: {
      scope: { only: onlyWords, except: exceptWords },
      options: { ...options, reach: defined({ code, frontMatter, links }) },
    },
  };
}

function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

function splitList(words: string, quoted: readonly string[]): string[] {
  return words
    .split(/,? and |,? or |, (?![^{]*\})/i)
    .map((word) => unquote(word.replace(/^(?:in )?(?:the )?/i, ''), quoted))
    .filter((word) => word !== '');
}

/** The instruction with further modifiers: scopes add up within a prompt, a follow-up's scope stands for the old one. */
export function modified(instruction: Instruction, modifiers: Modifiers, isFollowUp: boolean): Instruction {
  if (instruction.kind === 'rename') return instruction;
  const { only: onlyWords, except: exceptWords } = modifiers.scope;
  const scope = {
    only: isFollowUp && onlyWords.length > 0 ? onlyWords : [...instruction.scope.only, ...onlyWords],
    except: [...instruction.scope.except, ...exceptWords],
  };
  if (instruction.kind !== 'replace' && instruction.kind !== 'terms') return { ...instruction, scope };
  const { reach, ...options } = modifiers.options;
  return {
    ...instruction,
    scope,
    options: { ...instruction.options, ...options, reach: { ...instruction.options.reach, ...reach } },
  };
}

export function isEmpty(modifiers: Modifiers): boolean {
  const { reach, ...options } = modifiers.options;
  const { only: onlyWords, except: exceptWords } = modifiers.scope;
  return (
    onlyWords.length + exceptWords.length + Object.keys(reach).length + Object.keys(options).length === 0
  );
}

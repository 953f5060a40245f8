import { everywhere, proseOnly } from './instruction.ts';
import type { Instruction } from './instruction.ts';
import { isEmpty, modified, takeModifiers } from './modifiers.ts';
import type { Modifiers } from './modifiers.ts';
import { liftQuotes, unquote } from './quotes.ts';
import { renameHint, renameOf } from './rename-wish.ts';

export type ParsedPrompt =
  | { readonly kind: 'understood'; readonly instructions: readonly Instruction[] }
  /** `clause` is the part that was not understood, `hint` what would make it clear. */
  | { readonly kind: 'unclear'; readonly clause: string; readonly hint: string | undefined };

const verb =
  'replace|substitute|swap|change|rename|move|fix|repair|correct|mend|tidy|clean|apply|enforce|use|say|write|call|format|lint';

/**
 * Reads a prompt as a list of instructions, in the order in which they stand. One part that is not
 * understood makes the whole prompt unclear: half a job is worse than a question.
 *
 * @param earlier prompts of the same job, oldest first, for follow-ups such as "also in the API pages"
 */
export function parsePrompt(prompt: string, earlier: readonly string[] = []): ParsedPrompt {
  // Forward, each prompt once: looking back from every prompt would double the work with each.
  let last: readonly Instruction[] = [];
  for (const each of earlier) {
    const parsed = parseAfter(each, last);
    if (parsed.kind === 'understood') last = parsed.instructions;
  }
  return parseAfter(prompt, last);
}

function parseAfter(prompt: string, previous: readonly Instruction[]): ParsedPrompt {
  const { text, quoted } = liftQuotes(prompt);
  const instructions: Instruction[] = [];
  let before = previous;
  for (const clause of clausesOf(text)) {
    const { rest, modifiers } = takeModifiers(placeLast(clause), quoted);
    const made = instructionOf(rest, quoted, modifiers);
    if (made === 'ambiguous') return unclear(clause, quoted, hintFor(rest));
    if (made) {
      instructions.push(...made);
      continue;
    }
    const onlyModifies =
      /^(?:(?:and|also|but|now|please|do|the same|same|it|this|that|so|too|only|just|again|run|once more|as well)\b[ ,]*)*$/i;
    if (!onlyModifies.test(rest) || (isEmpty(modifiers) && !isNoWish(clause)))
      return unclear(clause, quoted, undefined);
    const last = instructions.pop();
    if (last) instructions.push(modified(last, modifiers, false));
    else if (before.length > 0) {
      instructions.push(...before.map((instruction) => modified(instruction, modifiers, true)));
      before = [];
    } else return unclear(clause, quoted, undefined);
  }
  if (instructions.length === 0) return { kind: 'unclear', clause: prompt.trim(), hint: undefined };
  return { kind: 'understood', instructions };
}

/** "In guides/, replace …" says the place first. */
const placeFirst = new RegExp(
  `^((?:only )?(?:in|within|under|on|inside|across|throughout) [^,]{1,200}?),? (?=(?:please )?(?:${verb})\\b)`,
  'i',
);

function placeLast(clause: string): string {
  const match = placeFirst.exec(clause);
  return match ? `${clause.slice(match[0].length)} ${match[1] ?? ''}` : clause;
}

function hintFor(words: string): string {
  if (/^(?:rename|move)\b/i.test(words)) return renameHint;
  if (takesOut(words))
    return 'Without a model, words can be replaced by other words only: not by nothing, and not by a space.';
  return (words.match(/⟦\d+⟧/g)?.length ?? 0) < 2
    ? 'Put both the old and the new words in quotes.'
    : 'Name the pages by a path, such as `guides/` or `guides/install.md`.';
}

/** A clause that only repeats what holds anyway, such as "don't touch code" or "everywhere". */
function isNoWish(clause: string): boolean {
  return takeModifiers(clause, []).rest !== clause.trim();
}

function unclear(clause: string, quoted: readonly string[], hint: string | undefined): ParsedPrompt {
  const shown = clause.replaceAll(/⟦(\d+)⟧/g, (_whole, index: string) => `"${quoted[Number(index)] ?? ''}"`);
  return { kind: 'unclear', clause: shown.length > 200 ? `${shown.slice(0, 199)}…` : shown, hint };
}

/** Sentences, lines, bullets, and what "then" or a further verb begins. */
function clausesOf(text: string): string[] {
  const politeness =
    /^(?:(?:please|kindly|then|next|now|finally|first(?:ly)?|second(?:ly)?|third(?:ly)?|after that|afterwards|also|and|(?:can|could|would|will) you(?: please)?|i(?:'d| would|’d) like (?:you )?to|i want (?:you )?to|we (?:should|need to|must|have to|want to)|you should|let's|let’s)\b[ ,:]*)+/i;
  return (
    text
      .split(/\r?\n/)
      // A long row of spaces takes the patterns below quadratic time.
      .map((line) => line.replaceAll(/\s+/g, ' '))
      .map((line) => line.replace(/^\s*(?:[-*+•–]|\d{1,3}[.)]|\(\d{1,3}\)|#{1,6})\s+/, ''))
      .flatMap((line) =>
        line.split(/;|[.!?](?=\s|$)|(?:,\s*)?\b(?:and )?(?:then|after that|afterwards)\b,?/i),
      )
      .map((part) => part.trim().replace(placeFirst, '$1 '))
      .flatMap((part) =>
        part.split(
          new RegExp(
            `(?:,\\s*(?:and )?(?:also )?|\\band (?:also )?|\\s&\\s)(?=(?:please )?(?:${verb})\\b (?!⟦\\d+⟧ instead(?! of)))|,\\s*and (?=use\\b)`,
            'i',
          ),
        ),
      )
      .map((clause) =>
        clause
          .trim()
          .replace(/(?<![,:])[,:]+$/, '')
          .replace(/,?\s*(?:please|thanks|thank you)$/i, '')
          .trim(),
      )
      .map((clause) => {
        const stripped = clause.replace(politeness, '').trim();
        // "Also in code" keeps its "also": it changes what stands before.
        return new RegExp(`^(?:${verb})\\b`, 'i').test(stripped) ? stripped : clause;
      })
      .filter((clause) => clause !== '' && !/^(?:please|thanks|thank you|hi|hello)$/i.test(clause))
  );
}

function instructionOf(
  clause: string,
  quoted: readonly string[],
  modifiers: Modifiers,
): Instruction[] | 'ambiguous' | undefined {
  const words = clause.replace(/(?<![.:])[.:]+$/, '').trim();
  if (isLinksWish(words)) return [modified({ kind: 'links', scope: everywhere }, modifiers, false)];
  if (isTidyWish(words)) return [modified({ kind: 'tidy', scope: everywhere }, modifiers, false)];
  const terms =
    /^(?:apply|enforce|use|follow|run|check)(?: all)?(?: the| our| your)? (?:preferred )?(?:terms?|term(?:inology)?(?: |-)?lists?|terminology|vale(?: substitution)?(?: rules| terms)?|word ?lists?|glossary)(?: (?:list|rules|file))?(?: (?:from|of|in|with|using) (?:the )?(?:term list |file |list )?(⟦\d+⟧|\S+)|:? (⟦\d+⟧|\S+\.(?:csv|tsv|ya?ml|json|md)))?(?: to (?:all|the|every)\b.*)?$/i.exec(
      words,
    );
  if (terms) {
    const named = modifiers.scope.only.find((word) => /\.(?:csv|tsv|ya?ml|json|md)$/i.test(word));
    const said = terms[1] ?? terms[2];
    const list = said === undefined || /^vale$/i.test(said) ? named : unquote(said, quoted);
    const scope = { ...modifiers.scope, only: modifiers.scope.only.filter((word) => word !== named) };
    return [
      modified(
        { kind: 'terms', list, vale: /\bvale\b/i.test(words), scope: everywhere, options: proseOnly },
        { ...modifiers, scope },
        false,
      ),
    ];
  }
  const renamed = renameOf(words, quoted);
  if (renamed !== undefined) return renamed;
  return severalReplacements(words, quoted, modifiers) ?? replacementOf(words, quoted, modifiers);
}

/** `replace A with B, C with D and E with F`: what follows, such as the pages, holds for all of them. */
function severalReplacements(
  words: string,
  quoted: readonly string[],
  modifiers: Modifiers,
): Instruction[] | undefined {
  const pair = String.raw`⟦\d+⟧ (?:with|by|to|into|->|→|=>) ⟦\d+⟧`;
  if (
    !new RegExp(`^(?:replace|substitute|swap|change) ${pair}(?:(?:,| and|, and) ${pair})+$`, 'i').test(words)
  )
    return undefined;
  return (words.match(new RegExp(pair, 'gi')) ?? []).flatMap((each) => {
    const made = replacementOf(`replace ${each}`, quoted, modifiers);
    return Array.isArray(made) ? made : [];
  });
}

function isLinksWish(words: string): boolean {
  return /^(?:fix|repair|correct|mend|find and fix|clean up)(?: up)?(?: all| any)?(?: of)?(?: the| our| my)?(?: (?:broken|dead|wrong|invalid|stale|rotten))? (?:(?:page )?links?(?: and anchors?)?|anchors?(?: and links?)?|cross-?references)(?: that are (?:broken|dead))?$/i.test(
    words,
  );
}

function isTidyWish(words: string): boolean {
  return /^(?:tidy|clean|format|lint|fix)(?: up)?(?: all)?(?: the| our| my)? ?(?:markdown|md|mdx|pages|whitespace|white space|formatting|markdown formatting|markdown files|markdown pages)(?: up)?$/i.test(
    words,
  );
}

const term = String.raw`(?:the )?(?:terms?|words?|phrases?|wording|text|expression|name)?\s*`;

function replacementOf(
  words: string,
  quoted: readonly string[],
  modifiers: Modifiers,
): Instruction[] | 'ambiguous' | undefined {
  // Quotes with nothing or a space in them are no words: they must not end up on a page.
  if (takesOut(words)) return 'ambiguous';
  const make = (from: string, to: string): Instruction[] | undefined => {
    const old = unquote(from, quoted).replaceAll(/\s+/g, ' ');
    const fresh = unquote(to, quoted).replaceAll(/\s+/g, ' ');
    if (old === '' || fresh === '' || !/[\p{L}\p{N}\p{S}\p{P}]/u.test(old)) return undefined;
    const made: Instruction = {
      kind: 'replace',
      term: old,
      replacement: fresh,
      scope: everywhere,
      options: proseOnly,
    };
    return [modified(made, modifiers, false)];
  };
  const old = String.raw`(?:all |every |any |each )?(?:occurrences? of |instances? of |uses? of |mentions? of )?${term}`;
  const q = String.raw`(⟦\d+⟧)`;
  const any = String.raw`(⟦\d+⟧|[^⟦⟧]+?)`;
  const forward = [
    new RegExp(
      `^(?:replace|substitute|swap|change|rename|update) ${old}${any} (?:with|by|to|into|for|->|→|=>) ${term}${any}$`,
      'i',
    ),
    new RegExp(
      `^(?:fix|correct)(?: the| all| every)? (?:typos?|spelling|misspellings?)(?: of)? ${q} (?:with|by|to|into|as|->|→|=>) ${q}$`,
      'i',
    ),
    new RegExp(`^${q}\\s*(?:->|→|=>)\\s*${q}$`, 'i'),
    new RegExp(
      `^(?:don['’]t|do not|never|avoid|stop) (?:say|write|use|using|saying|writing) ${old}${q},? (?:but|say|write|use)(?: say| write| use)? ${term}${q}(?: instead)?$`,
      'i',
    ),
  ];
  const backward = [
    new RegExp(
      `^(?:use|say|write|prefer|put) ${term}${any} (?:instead of|rather than|in place of|not|for|over) ${old}${any}$`,
      'i',
    ),
  ];
  for (const pattern of forward) {
    const match = pattern.exec(words);
    if (match) return isClear(words, match) ? make(match[1] ?? '', match[2] ?? '') : 'ambiguous';
  }
  for (const pattern of backward) {
    const match = pattern.exec(words);
    if (match) return isClear(words, match) ? make(match[2] ?? '', match[1] ?? '') : 'ambiguous';
  }
  return /^(?:replace|change)\b/i.test(words) ? 'ambiguous' : undefined;
}

/** "Replace A with nothing" or with a space: something that only people and models can do without harm to the sentence. */
function takesOut(words: string): boolean {
  return /^(?:replace|substitute|swap|change|update)\b.* (?:with|by|to|into|for|->|→|=>) (?:["'`“”„«»‘’](?: ?["'`“”„«»‘’]){1,3}|nothing(?: at all)?|an? (?:blank|space|empty (?:string|text|word)))$/i.test(
    words,
  );
}

/** Without quotes, a second joining word or something like a place makes it a guess where the terms end. */
function isClear(words: string, match: RegExpExecArray): boolean {
  const bare = [match[1] ?? '', match[2] ?? ''].filter((each) => !/^⟦\d+⟧$/.test(each.trim()));
  if (bare.length === 0) return true;
  if (bare.some((each) => each.split(/\s+/).length > 6 || /[,:]|^["'`“”„«»‘’\s]*$/.test(each))) return false;
  if (bare.length === 2 && isPerhapsAWish(words, match[1] ?? '', match[2] ?? '')) return false;
  const joiners = words.match(/ (?:with|by|to|into|instead of|rather than|->|→|=>) /gi) ?? [];
  return (
    joiners.length === 1 &&
    !bare.some((each) => / (?:in|on|except|but|only|where|when|if|unless|also) \S/i.test(` ${each}`))
  );
}

/**
 * "Change the tone to friendly" or "replace the intro with something shorter" speak about the docs, and do
 * not give the words themselves. Without any quotes only the plainest form is taken for words.
 */
function isPerhapsAWish(words: string, first: string, second: string): boolean {
  const vague =
    /^(?:a|an|this|that|these|those|our|your|my|its|their|some|any|all|every|each|no|more|less|better|new|newer|something|anything|someone|one|ones|it|them)\b/i;
  const isStyle = first.trim().split(/\s+/).at(-1) === second.trim().split(/\s+/).at(-1);
  return (
    !/^(?:replace|substitute|swap|rename|use|say|write|prefer) /i.test(words) ||
    / (?:the|all|every|each|any) (?!(?:terms?|words?|phrases?|wording|text|expression|name)\b)/i.test(
      words,
    ) ||
    vague.test(first.trim()) ||
    vague.test(second.trim()) ||
    (/^(?:use|say|write|prefer) /i.test(words) && isStyle)
  );
}

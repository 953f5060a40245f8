import type { Reach } from '../../../docset/segments.ts';

/** Which pages an instruction is for, in the writer's words: paths, patterns, folders, pages. */
export interface ScopeWords {
  /** Empty: all pages. */
  readonly only: readonly string[];
  readonly except: readonly string[];
}

export interface WordingOptions {
  readonly reach: Reach;
  readonly insideWords: boolean;
  readonly matchCase: boolean;
}

/** One thing that the agent can do without a model. */
export type Instruction =
  | {
      readonly kind: 'replace';
      readonly term: string;
      readonly replacement: string;
      readonly scope: ScopeWords;
      readonly options: WordingOptions;
    }
  | {
      readonly kind: 'terms';
      /** Path of the term list, as the writer gave it; undefined: find it. */
      readonly list: string | undefined;
      /** The substitution rules of Vale are meant, even where there is another list. */
      readonly vale: boolean;
      readonly scope: ScopeWords;
      readonly options: WordingOptions;
    }
  | { readonly kind: 'links'; readonly scope: ScopeWords }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'tidy'; readonly scope: ScopeWords };

export const everywhere: ScopeWords = { only: [], except: [] };

export const proseOnly: WordingOptions = {
  reach: { code: false, frontMatter: false, links: false },
  insideWords: false,
  matchCase: false,
};

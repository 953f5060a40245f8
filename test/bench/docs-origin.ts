import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { generateDocs, type GeneratedDocs } from '../support/generated-docs.ts';
import { emptyOrigin, git } from '../support/repositories.ts';

export const pages = 10_000;

/** A replacement, and the same one as sed's work. */
export interface Replacement {
  readonly prompt: string;
  /** What sed looks for where it should not change code, and what it makes of it. */
  readonly exact: readonly [string, string];
  /** Without the words beside it. */
  readonly plain: readonly [string, string];
  /** Where the term stands in the generated pages. */
  readonly where: string;
}

/** On every tenth page in prose, and on every page in code: so every page has to be understood. */
export const inCodeToo: Replacement = {
  prompt: 'Replace "log in" with "sign in"',
  exact: ['First log in', 'First sign in'],
  plain: ['log in', 'sign in'],
  where: 'term in code everywhere',
};

/** On every tenth page, in prose only. */
export const inProse: Replacement = {
  prompt: 'Replace "console" with "workbench"',
  exact: ['to the console', 'to the workbench'],
  plain: ['console', 'workbench'],
  where: 'term in prose only',
};

/** A bare origin with the generated pages, and a writer's clone of it. */
export interface DocsOrigin {
  readonly origin: string;
  readonly clone: string;
  readonly docs: GeneratedDocs;
}

export async function makeDocsOrigin(folder: string, count = pages): Promise<DocsOrigin> {
  const origin = emptyOrigin(folder);
  const clone = path.join(folder, 'clone');
  mkdirSync(clone);
  git(clone, 'init', '--quiet', '--initial-branch=main');
  const docs = await generateDocs(clone, count);
  git(clone, 'add', '--all');
  git(clone, 'commit', '--quiet', '-m', 'Pages');
  git(clone, 'remote', 'add', 'origin', origin);
  git(clone, 'push', '--quiet', '--set-upstream', 'origin', 'main');
  return { origin, clone, docs };
}

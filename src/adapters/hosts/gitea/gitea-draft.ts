/** Gitea's own mark; an administrator may have chosen others. */
const usualMark = 'WIP: ';

/** What a server may count as a mark: `WIP:`, `[WIP]`, `Draft:`. */
const anyMark = /^(?:\[[^\]]{1,20}\]|[\p{L}\p{N}_-]{1,20}:)\s*/u;

export function asDraft(title: string): string {
  return usualMark + title;
}

/** How the title of a draft begins, to be kept in front of a new one. Empty when it is none, or none any more. */
export function draftMark(pull: {
  readonly title: string;
  readonly draft?: boolean | null | undefined;
}): string {
  // Old servers do not tell it apart from the title.
  const draft = pull.draft ?? /^(?:WIP:|\[WIP\])/i.test(pull.title);
  return draft ? (anyMark.exec(pull.title)?.[0] ?? usualMark) : '';
}

import { cutTitle } from '../host-options.ts';

/** What GitLab reads as "not ready yet" at the start of a title, in any case. */
const mark = /^\s*(?:\[draft\]|\(draft\)|draft(?::|\s+-)|\[wip\]|wip:)\s*/i;

/** GitLab counts characters, and refuses a longer title. */
const titleLimit = 255;

/** Whether somebody has left, or put, the merge request in draft. */
export function isDraftTitle(title: string): boolean {
  return mark.test(title);
}

/** The title that makes a merge request a draft, or not one, whatever a prompt has put in front. */
export function gitlabTitle(title: string, draft: boolean): string {
  let bare = title.trim();
  while (mark.test(bare)) bare = bare.replace(mark, '');
  return cutTitle(draft ? `Draft: ${bare}` : bare || 'Change', titleLimit);
}

import { oneLine, shortened } from '../client/server-text.ts';
import type { EntryProblem, JobEntry } from './job-entry.ts';
import { isUnseen, isWatched, stateOf } from './job-state.ts';
import { titleOf } from './job-words.ts';
import type { Translate } from './translate.ts';

/** What the status bar says: nothing, or one icon and a few words. */
export type StatusText =
  | { readonly visible: false }
  | {
      readonly visible: true;
      /** A codicon and words, in the notation of the status bar. */
      readonly text: string;
      /** Plain text, several lines. */
      readonly tooltip: string;
      /** For screen readers: without the icon. */
      readonly label: string;
    };

/** The titles that a tooltip lists, so that it stays a tooltip. */
const maxTitles = 5;

/** What the status bar says about these jobs. Spins only while a job is known to run. */
export function statusText(entries: readonly JobEntry[], now: number, t: Translate): StatusText {
  const running = entries.filter((entry) => isWatched(entry) || stateOf(entry, now).kind === 'sending');
  const unseen = entries.filter(isUnseen);
  const problem = sharedProblem(running);
  if (problem !== undefined) {
    const text = t('Docs jobs not checked');
    return shown('warning', text, [oneLine(problem.message), ...titles(running, t)]);
  }
  if (running.length > 0) {
    const text = running.length === 1 ? t('1 docs job') : t('{0} docs jobs', running.length);
    const heading =
      running.length === 1 ? t('1 docs job is running.') : t('{0} docs jobs are running.', running.length);
    const spins = running.some((entry) => stateOf(entry, now).kind !== 'unknown');
    return shown(spins ? 'sync~spin' : 'question', text, [heading, ...titles(running, t)]);
  }
  if (unseen.length > 0) {
    const text = unseen.length === 1 ? t('1 docs result') : t('{0} docs results', unseen.length);
    const heading =
      unseen.length === 1
        ? t('1 docs job has ended and was not looked at.')
        : t('{0} docs jobs have ended and were not looked at.', unseen.length);
    const allFailed = unseen.every((entry) => entry.job?.status === 'failed');
    return shown(allFailed ? 'error' : 'git-pull-request', text, [heading, ...titles(unseen, t)]);
  }
  return { visible: false };
}

/** The latest trouble when it is that of every running job: then nothing is known of any. */
function sharedProblem(running: readonly JobEntry[]): EntryProblem | undefined {
  let latest: EntryProblem | undefined;
  for (const { problem } of running) {
    if (problem === undefined) return undefined;
    if (latest === undefined || problem.at > latest.at) latest = problem;
  }
  return latest;
}

function titles(entries: readonly JobEntry[], t: Translate): string[] {
  const lines = entries.slice(0, maxTitles).map((entry) => {
    const step = shortened(oneLine(entry.job?.step ?? ''), 60);
    return isWatched(entry) && step !== '' ? `${titleOf(entry)} · ${step}` : titleOf(entry);
  });
  return entries.length > maxTitles ? [...lines, t('and {0} more', entries.length - maxTitles)] : lines;
}

function shown(icon: string, text: string, lines: readonly string[]): StatusText {
  return {
    visible: true,
    text: `$(${icon}) ${text}`,
    tooltip: lines.join('\n'),
    label: [text, ...lines.map((line) => line.replace(/\.$/, ''))].join(', '),
  };
}

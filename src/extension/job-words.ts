import { oneLine, shortened } from '../client/server-text.ts';
import type { JobEntry } from './job-entry.ts';
import type { JobState } from './job-state.ts';
import { openableLink } from '../client/service-url.ts';
import type { Translate } from './translate.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The job in a few words: the beginning of its prompt, else its title, else its id. */
export function titleOf(entry: JobEntry, length = 60): string {
  const beginning = firstLine(entry.prompt);
  return (
    shortened(beginning === '' ? oneLine(entry.job?.title ?? '') : beginning, length) ||
    shortened(oneLine(entry.id), length)
  );
}

/** The first line that says something; empty when none does. */
function firstLine(text: string): string {
  const lines = text.split(/\r?\n/).map(oneLine);
  return lines.find((line) => line !== '') ?? '';
}

/** The state in two or three words. */
export function stateWords(state: JobState, t: Translate): string {
  switch (state.kind) {
    case 'sending':
      return t('Sending');
    case 'notStarted':
      return t('Not started');
    case 'mayHaveStarted':
      return t('May have started');
    case 'running':
      return t('Running');
    case 'unknown':
      return shortened(oneLine(state.status), 40);
    case 'completed':
      return openableLink(state.link) === undefined ? t('Completed') : t('Pull request ready');
    case 'nothingToChange':
      return t('Nothing to change');
    case 'failed':
      return t('Failed');
    case 'cancelled':
      return t('Cancelled');
    case 'archived':
      return t('Archived');
    case 'gone':
      return t('No longer at the service');
  }
}

/**
 * What the state means and what to do about it, where there is room for lines: a service may list what
 * it can do. Its text is as it came.
 */
export function stateText(state: JobState, t: Translate): string {
  const said = state.kind === 'failed' ? (state.error?.message.trim() ?? '') : '';
  return said === '' ? stateSentence(state, t) : said;
}

/** The same as sentences in one line. Of a service's text it is the first line, cleaned. */
export function stateSentence(state: JobState, t: Translate): string {
  switch (state.kind) {
    case 'sending':
      return t('The prompt is on its way to the service.');
    case 'notStarted':
      return t('The job was not started: {0}', oneLine(state.problem.message));
    case 'mayHaveStarted':
      return t(
        'The service has not confirmed it, so the job may have started. Look for its pull request before you send the prompt again.',
      );
    case 'running':
      return state.step === undefined
        ? t('The job is running. You can go on writing.')
        : t('The job is running: {0}', shortened(oneLine(state.step), 120));
    case 'unknown':
      return t(
        'The service says “{0}”, which this version does not know. The job is watched on.',
        shortened(oneLine(state.status), 40),
      );
    case 'completed':
      return openableLink(state.link) === undefined
        ? t('The job has completed, but its link is not one that can be opened safely.')
        : t('The pull request is ready for review.');
    case 'nothingToChange':
      return state.mayBePushed
        ? t(
            'The job has completed without a pull request: there was nothing to change, or the project takes changes without one.',
          )
        : t('The job has completed and there was nothing to change.');
    case 'failed':
      return firstLine(state.error?.message ?? '') || t('The job failed. The service did not say why.');
    case 'cancelled':
      return t('The job was cancelled.');
    case 'archived':
      return t('The job was archived.');
    case 'gone':
      return t('The service no longer knows this job. You can reuse its prompt.');
  }
}

/** How long ago, in full: `just now`, `1 minute ago`, `3 hours ago`. `ms` may be negative by clocks that differ. */
export function ageWords(ms: number, t: Translate): string {
  if (ms < minuteMs) return t('just now');
  if (ms < hourMs) {
    const minutes = Math.floor(ms / minuteMs);
    return minutes === 1 ? t('1 minute ago') : t('{0} minutes ago', minutes);
  }
  if (ms < dayMs) {
    const hours = Math.floor(ms / hourMs);
    return hours === 1 ? t('1 hour ago') : t('{0} hours ago', hours);
  }
  const days = Math.floor(ms / dayMs);
  return days === 1 ? t('1 day ago') : t('{0} days ago', days);
}

/** How long ago, for a narrow row. */
export function shortAge(ms: number, t: Translate): string {
  if (ms < minuteMs) return t('now');
  if (ms < hourMs) return t('{0} min', Math.floor(ms / minuteMs));
  return ms < dayMs ? t('{0} h', Math.floor(ms / hourMs)) : t('{0} d', Math.floor(ms / dayMs));
}

import { hasEnded } from '../contract/job.ts';
import { oneLine, shortened } from '../client/server-text.ts';
import { agentTitle, type KnownNames } from './agent-name.ts';
import { failureWords } from './failure-words.ts';
import { entryKey, localServiceId } from './job-entry.ts';
import type { JobEntry } from './job-entry.ts';
import { isUnseen, isWatched, stateOf } from './job-state.ts';
import type { JobState, JobStateKind } from './job-state.ts';
import { ageWords, shortAge, stateText, stateWords, titleOf } from './job-words.ts';
import { escapedMarkdown } from './markdown-text.ts';
import { mayChooseAgent } from './other-agent.ts';
import { openableLink } from '../client/service-url.ts';
import type { Translate } from './translate.ts';

/** One job as the list shows it. Plain data: two rows that look the same are deeply equal. */
export interface JobRow {
  /** The key of the job's entry. */
  readonly key: string;
  readonly label: string;
  readonly description: string;
  /** Markdown in which all foreign text is escaped. */
  readonly tooltip: string;
  /** A codicon, and the theme colour that underlines what its form already says. */
  readonly icon: { readonly id: string; readonly color: string | undefined };
  /**
   * Words that menus match, each with `\b`: `job`; a {@link JobStateKind}; `ended`; `cancellable`;
   * `archivable`; `followable`; `otherAgent`; `hasPullRequest`; `unseen`; `local` or `hosted`.
   */
  readonly contextValue: string;
  /** For screen readers: state, title, age. */
  readonly accessibilityLabel: string;
}

export const groupIds = ['running', 'finished', 'archived'] as const;
export type GroupId = (typeof groupIds)[number];

export interface RowContext {
  readonly now: number;
  readonly t: Translate;
  /** A time of day as the writer is used to it, `14:02`. */
  readonly clock: (at: number) => string;
  /** True when jobs of several projects are in the list, so that each row names its own. */
  readonly severalProjects: boolean;
  /** What the settings call agents; without it their ids are shown. */
  readonly names?: KnownNames;
}

const icons: Readonly<Record<JobStateKind, JobRow['icon']>> = {
  sending: { id: 'cloud-upload', color: undefined },
  notStarted: { id: 'circle-slash', color: 'errorForeground' },
  mayHaveStarted: { id: 'question', color: 'list.warningForeground' },
  running: { id: 'sync~spin', color: undefined },
  unknown: { id: 'question', color: undefined },
  completed: { id: 'git-pull-request', color: 'charts.green' },
  nothingToChange: { id: 'pass', color: undefined },
  failed: { id: 'error', color: 'errorForeground' },
  cancelled: { id: 'circle-slash', color: undefined },
  archived: { id: 'archive', color: undefined },
  gone: { id: 'debug-disconnect', color: 'list.warningForeground' },
};

/** Instead of what turns: nothing is known of the job since the last look failed. */
const notChecked: JobRow['icon'] = { id: 'sync-ignored', color: 'list.warningForeground' };

/** In a sidebar of its first width, 300 pixels, so many characters fit: the state must be among them. */
const rowLength = 30;
const longestLabel = 20;
const shortestLabel = 12;

export function groupOf(entry: JobEntry, now: number): GroupId {
  const { kind } = stateOf(entry, now);
  if (kind === 'archived') return 'archived';
  return kind === 'running' || kind === 'unknown' || kind === 'sending' ? 'running' : 'finished';
}

export function groupLabel(id: GroupId, t: Translate): string {
  switch (id) {
    case 'running':
      return t('Running');
    case 'finished':
      return t('Finished');
    case 'archived':
      return t('Archived');
  }
}

/** True when the entries belong to more than one project. */
export function areSeveralProjects(entries: readonly JobEntry[]): boolean {
  return new Set(entries.map((entry) => JSON.stringify([entry.service, entry.projectId]))).size > 1;
}

export function jobRow(entry: JobEntry, context: RowContext): JobRow {
  const { now, t, severalProjects } = context;
  const state = stateOf(entry, now);
  const since = sinceOf(entry);
  const title = titleOf(entry);
  const step = stepOf(state);
  const checked = lastChecked(entry, context);
  // That the state may be old is more than the state, which group and icon show as well.
  const shownState = checked?.short ?? fewWords(state, t);
  const words = [checked === undefined && step !== undefined ? step : shownState, shortAge(now - since, t)];
  if (severalProjects) words.push(shortened(oneLine(entry.projectName), 30));
  const spoken = [spokenState(state, t), title, ...(checked === undefined ? [] : [checked.long])];
  if (isUnseen(entry)) spoken.push(t('new'));
  return {
    key: entryKey(entry),
    label: titleOf(entry, labelLength(words[0] === step ? '' : shownState)),
    description: words.join(' · '),
    tooltip: tooltipOf(entry, state, context),
    icon: checked !== undefined && state.kind === 'running' ? notChecked : icons[state.kind],
    contextValue: contextWords(entry, state).join(' '),
    accessibilityLabel: [...spoken, ageWords(now - since, t)].join(', '),
  };
}

/** What the row's age counts from: the end where there was one. */
function sinceOf(entry: JobEntry): number {
  const ended = entry.job !== undefined && hasEnded(entry.job.status);
  return ended ? (entry.endedAt ?? entry.createdAt) : entry.createdAt;
}

/** The state in the room of a narrow row, whose icon says the rest; screen readers hear it in full. */
function fewWords(state: JobState, t: Translate): string {
  if (state.kind === 'nothingToChange') return t('No change');
  if (state.kind === 'failed') return failureWords(state.error?.code, t) ?? stateWords(state, t);
  const isReady = state.kind === 'completed' && openableLink(state.link) !== undefined;
  return isReady ? t('Ready') : stateWords(state, t);
}

/** The title makes room for words that stay; for a step, which is gone soon, it would only jump. */
function labelLength(beside: string): number {
  return Math.min(longestLabel, Math.max(shortestLabel, rowLength - beside.length));
}

/** The state in full; of a failure also why, as its icon is not seen. */
function spokenState(state: JobState, t: Translate): string {
  const why = state.kind === 'failed' ? failureWords(state.error?.code, t) : undefined;
  return why === undefined ? stateWords(state, t) : t('{0}: {1}', stateWords(state, t), why);
}

function stepOf(state: JobState): string | undefined {
  const step = state.kind === 'running' ? oneLine(state.step ?? '') : '';
  return step === '' ? undefined : shortened(step, 60);
}

/** Said only where the state may be old, because the last look failed. */
function lastChecked(
  entry: JobEntry,
  { t, clock }: RowContext,
): { readonly short: string; readonly long: string } | undefined {
  if (entry.problem === undefined || !isWatched(entry)) return undefined;
  if (entry.checkedAt === undefined) return { short: t('Not checked yet'), long: t('not checked yet') };
  const at = clock(entry.checkedAt);
  return { short: t('As of {0}', at), long: t('last checked {0}', at) };
}

function contextWords(entry: JobEntry, state: JobState): string[] {
  const words: string[] = ['job', state.kind];
  const isLocal = entry.service === localServiceId;
  // Only services with our additions tell when a job was updated.
  const hasAdditions = isLocal || entry.job?.updatedAt !== undefined;
  const ended = entry.job !== undefined && hasEnded(entry.job.status);
  if (ended) words.push('ended');
  if (isWatched(entry) && hasAdditions) words.push('cancellable');
  if (ended && state.kind !== 'archived' && hasAdditions) words.push('archivable');
  if (entry.job !== undefined && state.kind !== 'archived' && state.kind !== 'gone') words.push('followable');
  if (mayChooseAgent(entry)) words.push('otherAgent');
  if (openableLink(entry.job?.prLink) !== undefined) words.push('hasPullRequest');
  if (isUnseen(entry)) words.push('unseen');
  return [...words, isLocal ? 'local' : 'hosted'];
}

function tooltipOf(entry: JobEntry, state: JobState, { now, t, names }: RowContext): string {
  const since = sinceOf(entry);
  const isLocal = entry.service === localServiceId;
  const parts = [
    `**${escapedMarkdown(stateWords(state, t))}** · ${escapedMarkdown(ageWords(now - since, t))}`,
    escapedMarkdown(stateText(state, t)),
  ];
  if (entry.problem !== undefined && isWatched(entry)) {
    parts.push(escapedMarkdown(t('The last look failed: {0}', oneLine(entry.problem.message))));
  }
  parts.push(
    '---',
    escapedMarkdown(entry.prompt.length > 1000 ? `${entry.prompt.slice(0, 1000)}…` : entry.prompt),
  );
  const service = isLocal ? t('local service') : entry.service;
  parts.push('---', escapedMarkdown(t('Project: {0}, {1}', oneLine(entry.projectName), service)));
  if (entry.job?.model !== undefined) {
    const agent = isLocal ? agentTitle(entry.job.model, names, t) : entry.job.model;
    parts.push(escapedMarkdown(t('Agent: {0}', shortened(oneLine(agent), 80))));
  }
  return parts.filter((part) => part !== '').join('\n\n');
}

import type { CommandName } from './command-table.ts';
import { localServiceId, type JobEntry } from './job-entry.ts';
import { stateOf } from './job-state.ts';
import { stateSentence, titleOf } from './job-words.ts';
import { mayChooseAgent } from './other-agent.ts';
import { withoutLinks } from './plain-words.ts';
import { oneLine } from '../client/server-text.ts';
import { openableLink } from '../client/service-url.ts';
import type { Translate } from './translate.ts';

/** Kinds of notifications, each of which can be switched off for good. */
export const announcementKinds = ['ready', 'nothingToChange', 'failed', 'several', 'keyRefused'] as const;
export type AnnouncementKind = (typeof announcementKinds)[number];

/** What is shown once for jobs that have just ended. */
export interface Announcement {
  readonly kind: AnnouncementKind;
  readonly severity: 'information' | 'warning';
  readonly text: string;
  /** Buttons: commands on `entry`; without an entry, `showJobs` shows the list. */
  readonly actions: readonly (CommandName | 'showJobs')[];
  readonly entry: JobEntry | undefined;
}

export interface AnnouncementRules {
  readonly openPullRequest: 'automatically' | 'ask' | 'never';
  readonly notifications: 'always' | 'unfocused' | 'never';
  readonly focused: boolean;
  readonly muted: ReadonlySet<AnnouncementKind>;
}

export interface AnnouncementPlan {
  /** The job whose pull request is to be opened. */
  readonly open: JobEntry | undefined;
  readonly show: Announcement | undefined;
}

/**
 * What to do about jobs that were seen to end within a few seconds: open one pull request, show one
 * notification, both, or neither. Two pull requests are never opened by themselves; a notification
 * stands for them. A job that was cancelled or archived was so by a person, who knows it.
 */
export function announce(
  ended: readonly JobEntry[],
  rules: AnnouncementRules,
  t: Translate,
): AnnouncementPlan {
  const worth = ended.filter((entry) => kindOf(entry) !== undefined);
  const automatic = rules.openPullRequest === 'automatically';
  const openable = worth.filter((entry) => kindOf(entry) === 'ready' && linkOf(entry) !== undefined);
  const fresh = openable.filter((entry) => entry.openedAt === undefined);
  const open = automatic && fresh.length === 1 ? fresh[0] : undefined;

  const rest = worth.filter((entry) => entry !== open);
  // Several results stand in for pull requests that would have come up: they do so in a focused window too.
  const standIn = automatic && fresh.length > 1;
  const isQuiet =
    rules.notifications === 'never' || (rules.notifications === 'unfocused' && rules.focused && !standIn);
  const told = isQuiet ? [] : rest.filter((entry) => !isMuted(entry, rules.muted));
  const [first] = told;
  if (first === undefined) return { open, show: undefined };
  if (told.length === 1) return { open, show: one(first, t) };
  return { open, show: rules.muted.has('several') ? undefined : several(told, t) };
}

/** What stands in for a pull request that could not be opened by itself; undefined when nothing is to be told. */
export function insteadOfOpening(
  entry: JobEntry,
  rules: AnnouncementRules,
  t: Translate,
): Announcement | undefined {
  return announce([entry], { ...rules, openPullRequest: 'ask' }, t).show;
}

type EndKind = 'ready' | 'nothingToChange' | 'failed';

function kindOf(entry: JobEntry): EndKind | undefined {
  switch (stateOf(entry, entry.endedAt ?? 0).kind) {
    case 'completed':
      return 'ready';
    case 'nothingToChange':
      return 'nothingToChange';
    case 'failed':
      return 'failed';
    default:
      return undefined;
  }
}

function mayBePushed(entry: JobEntry): boolean {
  const state = stateOf(entry, entry.endedAt ?? 0);
  return state.kind === 'nothingToChange' && state.mayBePushed;
}

function linkOf(entry: JobEntry): string | undefined {
  return openableLink(entry.job?.prLink);
}

function isMuted(entry: JobEntry, muted: ReadonlySet<AnnouncementKind>): boolean {
  const kind = kindOf(entry);
  return kind !== undefined && muted.has(kind);
}

function one(entry: JobEntry, t: Translate): Announcement {
  const title = withoutLinks(titleOf(entry, 50));
  switch (kindOf(entry)) {
    case 'failed': {
      const said = stateSentence(stateOf(entry, entry.endedAt ?? 0), t);
      const sentence = onlyRepeats(said, entry)
        ? t(
            'The built-in rules did not understand it: they replace terms, repair links, rename pages and tidy Markdown. For anything else, choose an agent that writes.',
          )
        : said;
      return {
        kind: 'failed',
        severity: 'warning',
        text: withoutLinks(t('“{0}” failed. {1}', title, sentence)),
        // There is room for two and “Don’t Show Again”; the row leads to the details.
        actions: [mayChooseAgent(entry) ? 'chooseAgent' : 'showJob', 'reusePrompt'],
        entry,
      };
    }
    case 'nothingToChange':
      return {
        kind: 'nothingToChange',
        severity: 'information',
        text: mayBePushed(entry)
          ? t(
              '“{0}” is done: there was nothing to change, or the project takes changes without a pull request.',
              title,
            )
          : t('“{0}” is done: there was nothing to change.', title),
        actions: ['showJob'],
        entry,
      };
    default:
      return {
        kind: 'ready',
        severity: 'information',
        text:
          linkOf(entry) === undefined
            ? t('“{0}” is done.', title)
            : t('The pull request for “{0}” is ready.', title),
        actions: [linkOf(entry) === undefined ? 'showJob' : 'openPullRequest'],
        entry,
      };
  }
}

/** The rules’ first line may say the prompt only, which the title says already; what to do is said below it. */
function onlyRepeats(said: string, { service, job, prompt }: JobEntry): boolean {
  if (service !== localServiceId || job?.error?.code !== 'prompt_not_understood') return false;
  // They leave out the full stop.
  const words = oneLine(prompt).replace(/(?<![\s.,:;!?])[\s.,:;!?]+$/, '');
  return words !== '' && said.endsWith(words);
}

function several(entries: readonly JobEntry[], t: Translate): Announcement {
  const count = (kind: EndKind): number => entries.filter((entry) => kindOf(entry) === kind).length;
  const ready = count('ready');
  const unchanged = count('nothingToChange');
  const failed = count('failed');
  const parts: string[] = [];
  if (ready > 0) parts.push(ready === 1 ? t('1 is ready for review') : t('{0} are ready for review', ready));
  if (unchanged > 0) {
    parts.push(unchanged === 1 ? t('1 had nothing to change') : t('{0} had nothing to change', unchanged));
  }
  if (failed > 0) parts.push(failed === 1 ? t('1 failed') : t('{0} failed', failed));
  return {
    kind: 'several',
    severity: failed > 0 ? 'warning' : 'information',
    text: t('{0} docs jobs have ended: {1}.', entries.length, parts.join(', ')),
    actions: ['showJobs'],
    entry: undefined,
  };
}

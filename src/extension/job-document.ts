import { oneLine, shortened } from '../client/server-text.ts';
import type { JobEvent } from '../contract/events.ts';
import { agentTitle, type KnownNames } from './agent-name.ts';
import { localServiceId } from './job-entry.ts';
import type { JobEntry } from './job-entry.ts';
import { isWatched, stateOf } from './job-state.ts';
import { ageWords, stateText, stateWords, titleOf } from './job-words.ts';
import { escapedMarkdown, fencedText } from './markdown-text.ts';
import { mayChooseAgent } from './other-agent.ts';
import { openableLink } from '../client/service-url.ts';
import type { Translate } from './translate.ts';

export interface DocumentContext {
  readonly now: number;
  readonly t: Translate;
  /** Date and time as the writer is used to it. */
  readonly dateTime: (at: number) => string;
  /** Undefined when the service does not tell them or was not reached. */
  readonly events: readonly JobEvent[] | undefined;
  /** What the settings call agents; without it their ids are shown. */
  readonly names?: KnownNames;
}

/** The newest events that are listed. */
const maxEvents = 200;

/** All that is known of a job, as a Markdown document. Foreign text is escaped or fenced. */
export function jobDocument(entry: JobEntry, context: DocumentContext): string {
  const { now, t, events } = context;
  const state = stateOf(entry, now);
  const link = openableLink(entry.job?.prLink);
  const summary = entry.job?.summary?.trim() ?? '';
  const parts = [
    `# ${escapedMarkdown(titleOf(entry, 100))}`,
    `**${escapedMarkdown(stateWords(state, t))}** · ${escapedMarkdown(ageWords(now - entry.createdAt, t))}`,
    escapedMarkdown(stateText(state, t)),
  ];
  const advice = adviceOf(entry, state.kind, t);
  if (advice !== undefined) parts.push(escapedMarkdown(advice));
  if (entry.problem !== undefined && isWatched(entry)) {
    parts.push(escapedMarkdown(t('The last look failed: {0}', oneLine(entry.problem.message))));
  }
  if (link !== undefined) parts.push(`${escapedMarkdown(t('Pull request'))}: <${link}>`);
  parts.push(`## ${escapedMarkdown(t('Prompt'))}`, fencedText(entry.prompt));
  if (summary !== '') {
    parts.push(`## ${escapedMarkdown(t('What the agent says it did'))}`, escapedMarkdown(summary));
  }
  parts.push(`## ${escapedMarkdown(t('Facts'))}`, facts(entry, context));
  if (events !== undefined && events.length > 0) {
    parts.push(`## ${escapedMarkdown(t('What happened'))}`, happenings(events, context));
  }
  return `${parts.join('\n\n')}\n`;
}

/** What the writer can do next, where the state's own sentence does not say it. */
function adviceOf(
  entry: JobEntry,
  kind: ReturnType<typeof stateOf>['kind'],
  t: Translate,
): string | undefined {
  switch (kind) {
    case 'failed': {
      const again =
        entry.job?.error?.retryable === true
          ? t('The same prompt may succeed later: use “Reuse Prompt”.')
          : t('Use “Reuse Prompt” to change the prompt and send it again.');
      if (!mayChooseAgent(entry)) return again;
      return `${again} ${t('Another agent may do it: use “Choose Agent…” first.')}`;
    }
    case 'nothingToChange':
      return t('If you expected a change, use “Reuse Prompt” and name the pages or words more exactly.');
    case 'notStarted':
      return t('Your prompt is kept: use “Reuse Prompt” to send it again.');
    default:
      return undefined;
  }
}

function facts(entry: JobEntry, { t, dateTime, names }: DocumentContext): string {
  const { job } = entry;
  const isLocal = entry.service === localServiceId;
  const agent = job?.model === undefined || !isLocal ? job?.model : agentTitle(job.model, names, t);
  const told = Date.parse(job?.createdAt ?? '');
  const list: [string, string | undefined][] = [
    [t('Project'), `${oneLine(entry.projectName)} (${entry.projectId})`],
    [t('Service'), isLocal ? t('local service') : entry.service],
    [t('Repository'), job?.repository],
    [t('Branch'), job?.branch ?? job?.ref],
    [t('Agent'), agent],
    [t('Pages changed'), job?.filesChanged?.toString()],
    [t('Created'), dateTime(Number.isNaN(told) ? entry.createdAt : told)],
    [t('Ended'), entry.endedAt === undefined ? undefined : dateTime(entry.endedAt)],
    [t('Last checked'), entry.checkedAt === undefined ? undefined : dateTime(entry.checkedAt)],
    [t('Job'), job === undefined ? undefined : entry.id],
    [t('Error code'), job?.error?.code],
  ];
  return list
    .filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== '')
    .map(([name, value]) => `- ${escapedMarkdown(name)}: ${escapedMarkdown(shortened(oneLine(value), 300))}`)
    .join('\n');
}

function happenings(events: readonly JobEvent[], { dateTime }: DocumentContext): string {
  return events
    .slice(-maxEvents)
    .map(({ at, message }) => {
      const time = Date.parse(at);
      const when = Number.isNaN(time) ? oneLine(at) : dateTime(time);
      return `- ${escapedMarkdown(when)}: ${escapedMarkdown(shortened(oneLine(message), 300))}`;
    })
    .join('\n');
}

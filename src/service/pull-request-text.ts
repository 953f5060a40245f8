import type { CheckReport } from './job.ts';
import { closeFences, codeSpan, neutralise, neutraliseLine, withoutCommands } from './neutralise.ts';
import type { HostedRepository, PullRequestContent } from './ports/code-host.ts';
import type { ChangedFile } from './ports/workspaces.ts';

/** Pages listed one by one; a reviewer sees the rest in the diff. */
const listedPages = 100;
const listedProblems = 50;
/** GitHub cuts titles at 256 characters, others at 255. */
const maxTitle = 250;
const cutNote = '\n\n… (shortened)';
/** Below so many characters a prompt and an answer tell nothing. */
const leastMessage = 300;
/** What the headings of one message take, in characters. */
const headings = 60;
/** A code fence is seldom longer. */
const fenceStep = 8;

export interface PullRequestParts {
  readonly title: string;
  readonly jobId: string;
  /** What was asked and done, oldest first. */
  readonly messages: readonly { readonly prompt: string; readonly summary: string | undefined }[];
  readonly files: readonly ChangedFile[];
  readonly checks: CheckReport;
  /** The repository's own template. */
  readonly template: string | undefined;
  readonly version: string;
}

/** What a text is written for. */
export type Reader = Pick<HostedRepository, 'bodyLimit' | 'keepsComments' | 'massage'>;

/** Title and body from the whole change of a job, as long as the host takes it at most. */
export function pullRequestText(parts: PullRequestParts, host: Reader): PullRequestContent {
  const title = cut(neutraliseLine(parts.title), maxTitle, '…');
  // The job id is what a later look finds the pull request by, so the cut comes before it.
  const end = footer(parts, host);
  const room = Math.max(0, host.bodyLimit - end.length);
  const whole = sections(parts, room);
  const body = host.massage === undefined ? whole : host.massage(whole);
  return { title, body: closedCut(body, room) + end };
}

function footer({ version, jobId }: PullRequestParts, host: Reader): string {
  const maker = `Made by Docs Agent ${version}. Review it like anybody's work.`;
  return host.keepsComments
    ? `\n\n---\n${maker}\n\n<!-- docs-agent-job: ${jobId} -->\n`
    : `\n\n---\n${maker} Job: \`${jobId}\`\n`;
}

/**
 * Where there is little room each section gets its share, so that a long answer of the agent does not push out
 * what changed and what got worse. What a section leaves over is for the list of pages.
 */
function sections(parts: PullRequestParts, room: number): string {
  const said = messages(parts.messages, Math.floor(room * 0.5));
  const checked = checks(parts.checks, Math.floor(room * 0.2));
  const template =
    parts.template === undefined
      ? ''
      : closedCut(
          withoutCommands(parts.template.replaceAll('<!-- docs-agent-job', '<!-- ')).trim(),
          Math.floor(room * 0.25),
        );
  const left = room - said.length - checked.length - template.length;
  const changed = pages(parts.files, Math.max(left, Math.floor(room * 0.1)) - 3 * '\n\n'.length);
  return [said, changed, checked, template].filter((section) => section !== '').join('\n\n');
}

/** The message of a job's commit, without its trailers. */
export function commitMessage(title: string, summary: string): string {
  const text = cut(neutralise(summary).trim(), 2000, '\n…');
  return text === '' ? neutraliseLine(title) : `${neutraliseLine(title)}\n\n${text}`;
}

/** The newest are the nearest to what the change is now: when there is no room for all, the oldest go. */
function messages(list: PullRequestParts['messages'], room: number): string {
  const most = Math.max(1, Math.floor(room / leastMessage));
  const shown = list.slice(-most);
  const each = Math.floor(room / Math.max(1, shown.length)) - headings;
  const told = shown.map(({ prompt, summary }, index) => {
    const first = index === 0 && shown.length === list.length;
    const heading = first ? '## What was asked' : '## What was asked then';
    const forPrompt = summary === undefined ? each : Math.floor(each / 2);
    const quote = cut(quoted(neutralise(prompt).trim()), forPrompt, ' …');
    const done = summary === undefined ? '' : closedCut(neutralise(summary).trim(), each - quote.length);
    return `${heading}\n\n${quote}${done === '' ? '' : `\n\n## What was done\n\n${done}`}`;
  });
  if (shown.length < list.length)
    told.unshift(`${list.length - shown.length} earlier messages are not shown.`);
  return told.join('\n\n');
}

function quoted(text: string): string {
  return text.replace(/^/gm, '> ');
}

function pages(files: readonly ChangedFile[], room: number): string {
  const lines = files.map((file) => {
    const from = file.previousPath === undefined ? '' : `${codeSpan(file.previousPath)} → `;
    return `- ${from}${codeSpan(file.path)} (${file.change}, +${file.addedLines} −${file.removedLines})`;
  });
  const heading = `## Changed files: ${files.length}`;
  return [heading, fitting(lines, listedPages, room - heading.length)].filter(Boolean).join('\n\n');
}

function checks({ pages: checked, problems, notes = [] }: CheckReport, room: number): string {
  if (checked === 0 && problems.length === 0 && notes.length === 0) return '';
  const told = `${checked} changed ${checked === 1 ? 'page was' : 'pages were'} checked`;
  const after = notes.map((note) => `\n\n${neutraliseLine(note)}`).join('');
  if (problems.length === 0) {
    return `## Checks${checked === 0 ? '' : `\n\n${told}: nothing got worse.`}${after}`;
  }
  const lines = problems.map((problem) => `- ${neutraliseLine(problem)}`);
  const intro = `## Checks\n\n${told}. This got worse and wants a look:`;
  return `${intro}\n\n${fitting(lines, listedProblems, room - intro.length - after.length)}${after}`;
}

/** As many whole lines as there is room for, and how many more there are. */
function fitting(lines: readonly string[], most: number, room: number): string {
  const shown: string[] = [];
  let left = room - '- and 1000000 more'.length;
  for (const line of lines.slice(0, most)) {
    left -= line.length + 1;
    if (left < 0) break;
    shown.push(line);
  }
  if (shown.length < lines.length) {
    const more = lines.length - shown.length;
    shown.push(shown.length === 0 ? `- ${more}, too many to list here` : `- and ${more} more`);
  }
  return shown.join('\n');
}

/** Cut to a length that the mark of an open code fence fits in, too. */
function closedCut(text: string, length: number): string {
  const closed = closeFences(text);
  if (closed.length <= length) return closed;
  for (let room = length - cutNote.length; room > 0; room -= fenceStep) {
    const shorter = closeFences(cut(text, room, cutNote));
    if (shorter.length <= length) return shorter;
  }
  return '';
}

/** At most `length` characters and the note; never half a character. */
function cut(text: string, length: number, note: string): string {
  if (text.length <= length) return text;
  return text.slice(0, Math.max(0, length)).replace(/[\uD800-\uDBFF]$/, '') + note;
}

import type { CheckReport } from './job.ts';
import { closeFences, codeSpan, neutralise, neutraliseLine } from './neutralise.ts';
import type { PullRequestContent } from './ports/code-host.ts';
import type { ChangedFile } from './ports/workspaces.ts';

/** Pages listed one by one; a reviewer sees the rest in the diff. */
const listedPages = 100;
const listedProblems = 50;
/** GitHub cuts titles at 256 characters, others at 255. */
const maxTitle = 250;
const cutNote = '\n\n… (shortened)';

/** Where the code hosts look for a template, in their usual order of preference. */
export const templatePaths: readonly string[] = [
  '.github/pull_request_template.md',
  '.github/PULL_REQUEST_TEMPLATE.md',
  'pull_request_template.md',
  'PULL_REQUEST_TEMPLATE.md',
  'docs/pull_request_template.md',
  'docs/PULL_REQUEST_TEMPLATE.md',
  '.gitlab/merge_request_templates/Default.md',
  '.gitea/pull_request_template.md',
  '.gitea/PULL_REQUEST_TEMPLATE.md',
  '.forgejo/pull_request_template.md',
  '.azuredevops/pull_request_template.md',
];

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

/** Title and body from the whole change of a job. `limit` is the number of characters that the host takes. */
export function pullRequestText(parts: PullRequestParts, limit: number): PullRequestContent {
  const title = cut(neutraliseLine(parts.title), maxTitle, '…');
  // The job id is what a later look finds the pull request by, so the cut comes before it.
  const footer = `\n\n---\nMade by Docs Agent ${parts.version}. Review it like anybody's work.\n\n<!-- docs-agent-job: ${parts.jobId} -->\n`;
  const room = Math.max(0, limit - footer.length);
  const body = [
    messages(parts.messages, Math.floor(room / 2)),
    pages(parts.files),
    checks(parts.checks),
    parts.template === undefined ? '' : parts.template.replaceAll('<!-- docs-agent-job', '<!-- ').trim(),
  ]
    .filter((section) => section !== '')
    .join('\n\n');
  return { title, body: closeFences(cut(body, room - cutNote.length, cutNote)) + footer };
}

/** The message of a job's commit, without its trailers. */
export function commitMessage(title: string, summary: string): string {
  const text = cut(neutralise(summary).trim(), 2000, '\n…');
  return text === '' ? neutraliseLine(title) : `${neutraliseLine(title)}\n\n${text}`;
}

function messages(list: PullRequestParts['messages'], room: number): string {
  const each = Math.floor(room / Math.max(1, list.length) / 2);
  const sections = list.map(({ prompt, summary }, index) => {
    const heading = index === 0 ? '## What was asked' : '## What was asked then';
    const quote = cut(neutralise(prompt).trim(), each, ' …').replace(/^/gm, '> ');
    const done = summary === undefined ? '' : closeFences(cut(neutralise(summary).trim(), each, cutNote));
    return `${heading}\n\n${quote}${done === '' ? '' : `\n\n## What was done\n\n${done}`}`;
  });
  return sections.join('\n\n');
}

function pages(files: readonly ChangedFile[]): string {
  const lines = files.slice(0, listedPages).map((file) => {
    const from = file.previousPath === undefined ? '' : `${codeSpan(file.previousPath)} → `;
    return `- ${from}${codeSpan(file.path)} (${file.change}, +${file.addedLines} −${file.removedLines})`;
  });
  if (files.length > listedPages) lines.push(`- and ${files.length - listedPages} more`);
  return `## Changed files: ${files.length}\n\n${lines.join('\n')}`;
}

function checks({ pages: checked, problems }: CheckReport): string {
  if (checked === 0) return '';
  const told = `${checked} changed ${checked === 1 ? 'page was' : 'pages were'} checked`;
  if (problems.length === 0) return `## Checks\n\n${told}: nothing got worse.`;
  const lines = problems.slice(0, listedProblems).map((problem) => `- ${neutraliseLine(problem)}`);
  if (problems.length > listedProblems) lines.push(`- and ${problems.length - listedProblems} more`);
  return `## Checks\n\n${told}. This got worse and wants a look:\n\n${lines.join('\n')}`;
}

/** At most `length` characters and the note; never half a character. */
function cut(text: string, length: number, note: string): string {
  if (text.length <= length) return text;
  return text.slice(0, Math.max(0, length)).replace(/[\uD800-\uDBFF]$/, '') + note;
}

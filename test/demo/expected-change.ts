import { git } from './sample.ts';

/** What `npm run demo` says when nobody says anything else. */
export const samplePrompt = 'Replace "log in" with "sign in" and fix broken links';

/** A page that the writer reads meanwhile. */
export const samplePage = 'docs/getting-started/first-backup.md';

/** Links that were planted in the sample, and what they have to become. */
const repairedLinks: readonly (readonly [page: string, broken: string, repaired: string])[] = [
  [
    'docs/getting-started/overview.md',
    '(../guides/retention-polices.md)',
    '(../guides/retention-policies.md)',
  ],
  ['docs/getting-started/install-server.md', '#Recovery-sheet)', '#recovery-sheet)'],
  ['docs/getting-started/install-agent.md', '#the-agent-stay-offline)', '#the-agent-stays-offline)'],
  ['docs/getting-started/install-agent.md', '(../guides/first-backup.md)', '(first-backup.md)'],
  ['docs/getting-started/first-restore.md', '#set-the-shedule)', '#set-the-schedule)'],
  ['docs/guides/include-and-exclude.md', '(../reference/cli-command.md)', '(../reference/cli-commands.md)'],
  ['docs/reference/http-api.md', '(limits.md#request)', '(limits.md#requests)'],
  ['docs/troubleshooting/common-problems.md', '/single-sing-on.md)', '/single-sign-on.md)'],
];

/** Code, and a link that could mean three pages: nobody may touch them. */
const untouched: readonly (readonly [page: string, text: string])[] = [
  ['docs/administration/single-sign-on.md', '# log in without a browser\nexport TIDEWATER_TOKEN'],
  ['docs/administration/single-sign-on.md', '`tidewater login`'],
  ['docs/reference/http-api.md', '`Please log in first`'],
  ['docs/guides/move-server.md', '(backup.md)'],
];

/** Every broken link of the sample, with its page. */
export const plantedLinks: readonly (readonly [page: string, broken: string])[] = [
  ...repairedLinks.map(([page, broken]) => [page, broken] as const),
  ['docs/guides/move-server.md', '(backup.md)'],
];

/** What is wrong with the change of a commit in the sample, one sentence each; nothing when it is right. */
export async function sampleFaults(repository: string, commit: string): Promise<string[]> {
  const pageAt = (page: string): Promise<string> => git(repository, 'show', `${commit}:${page}`);
  const faults: string[] = [];
  for (const [page, broken, repaired] of repairedLinks) {
    const text = await pageAt(page);
    if (text.includes(broken)) faults.push(`${page} still links to ${broken}.`);
    else if (!text.includes(repaired)) faults.push(`${page} does not link to ${repaired}.`);
  }
  for (const [page, text] of untouched) {
    if (!(await pageAt(page)).includes(text)) faults.push(`${page} lost "${text}", which had to stay.`);
  }
  const pages = await git(repository, 'ls-tree', '-r', '--name-only', commit, 'docs');
  for (const page of pages.split('\n')) {
    if (/\blog in\b/i.test(withoutCode(await pageAt(page)))) faults.push(`${page} still says "log in".`);
  }
  const changed = await git(repository, 'diff', '--name-only', `main...${commit}`);
  const foreign = changed.split('\n').filter((file) => !/^docs\/.*\.md$/.test(file));
  if (foreign.length > 0) faults.push(`It also changed ${foreign.join(', ')}.`);
  return faults;
}

const withoutCode = (text: string): string =>
  text.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '').replaceAll(/`[^`\n]*`/g, '');

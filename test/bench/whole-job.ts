import path from 'node:path';
import { KillableService } from '../support/killable-service.ts';
import { git, temporaryFolder } from '../support/repositories.ts';
import {
  type DocsOrigin,
  inCodeToo,
  inProse,
  makeDocsOrigin,
  pages,
  type Replacement,
} from './docs-origin.ts';
import { job, shell } from './jobs.ts';
import { builtService } from './start.ts';
import { inMs, median, milliseconds, repeat, type Row, times } from './table.ts';

const runs = { most: 3, withinMs: 45_000 };

/** From create to the pull request, on a first and on a later job, beside what git and sed alone need. */
export async function measureWholeJob(): Promise<Row[]> {
  using folder = temporaryFolder();
  const docs = await makeDocsOrigin(folder.path);
  const first: number[] = [];
  const later: number[] = [];
  const clones: number[] = [];
  const worktrees: number[] = [];
  await repeat(runs, async (run) => {
    await using service = await KillableService.start(path.join(folder.path, `home-${run}`), {
      entry: builtService,
    });
    await service.client.putProject('docs', { repository: docs.clone });
    const plainly = (text: string, name: string, replacement: Replacement): Promise<number> =>
      milliseconds(() => script(text, folder.path, docs, `${name}-${run}`, replacement));
    first.push(await milliseconds(() => wholeJob(service, docs, inCodeToo)));
    clones.push(await plainly(cloneScript, 'clone', inCodeToo));
    later.push(await milliseconds(() => wholeJob(service, docs, inProse)));
    worktrees.push(await plainly(worktreeScript, 'tree', inProse));
    await service.stop();
  });
  const size = `${pages.toLocaleString('en')} pages`;
  return [
    row(`First job on ${size}, ${inCodeToo.where}`, first, 'git clone, sed, commit, push', clones),
    row(`Later job on ${size}, ${inProse.where}`, later, 'git worktree, sed, commit, push', worktrees),
  ];
}

function row(what: string, figures: readonly number[], beside: string, others: readonly number[]): Row {
  const figure = median(figures);
  const other = median(others);
  return { what, figure: inMs(figure), beside: `${beside}: ${inMs(other)}`, ratio: times(figure, other) };
}

async function wholeJob(service: KillableService, docs: DocsOrigin, replacement: Replacement): Promise<void> {
  const { filesChanged } = await job(service, replacement.prompt);
  if (filesChanged !== docs.docs.pagesWithTerm) {
    throw new Error(`The job changed ${filesChanged} pages instead of ${docs.docs.pagesWithTerm}.`);
  }
}

/** Told by the words before the term which ones are prose: sed would change every code block too. */
const edit = `git grep -lz "$4" -- '*.md' | xargs -0 sed -i "s/$4/$5/"
git commit --quiet -a -m Replace
git push --quiet origin HEAD:refs/heads/"$3"`;

const cloneScript = `set -e
git clone --quiet "file://$1" "$3"
cd "$3"
${edit}`;

const worktreeScript = `set -e
git -C "$2" fetch --quiet origin
git -C "$2" worktree add --quiet --detach "$PWD/$3" origin/main
cd "$3"
${edit}`;

async function script(
  text: string,
  folder: string,
  docs: DocsOrigin,
  name: string,
  { exact }: Replacement,
): Promise<void> {
  await shell(text, [docs.origin, docs.clone, name, ...exact], folder);
  const changed = git(docs.origin, 'diff', '--name-only', 'main', name).split('\n').length;
  if (changed !== docs.docs.pagesWithTerm) throw new Error(`The script changed ${changed} pages.`);
}

/**
 * A second service process, for tests: `FOLDER REPOSITORY JOB`. Opens a workspace, changes a page,
 * commits, pushes the branch `docs-agent/JOB` and prints the commit. With `hold` as a fourth word it prints
 * `open` instead and stays until it is killed.
 */
import { setInterval } from 'node:timers';
import { gitService, noSignal, projectOf } from './git-service.ts';
import { writeFiles } from './repositories.ts';

const [, , folder = '', repository = '', jobId = '', hold] = process.argv;
const project = projectOf(repository);
await using service = gitService(folder);
await using workspace = await service.workspaces.open({ jobId, project, signal: noSignal });
if (hold === 'hold') {
  process.stdout.write(`${workspace.directory}\n`);
  await new Promise(() => setInterval(() => {}, 1_000_000));
}
writeFiles(workspace.directory, { [`${jobId}.md`]: `${jobId}\n` });
const commit = (await workspace.commit(jobId, {})) ?? '';
await service.workspaces.push(project, `docs-agent/${jobId}`, commit, noSignal);
process.stdout.write(`${commit}\n`);

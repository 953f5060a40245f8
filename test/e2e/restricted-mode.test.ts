import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { entryFileStem, writeEntryFile } from '../../src/extension/entry-file.ts';
import { entryKey } from '../../src/extension/job-entry.ts';
import { docsFolder } from '../support/docs-folder.ts';
import { anEnded, anEntry } from '../support/job-entries.ts';
import { JobsWindow } from '../support/jobs-window.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/repositories.ts';
import { editorTestMs, Workbench } from '../support/workbench.ts';

describe('Restricted Mode in VS Code', function () {
  this.timeout(editorTestMs);
  let folder: TemporaryFolder;
  let workbench: Workbench;
  let jobs: JobsWindow;

  before(async () => {
    folder = temporaryFolder();
    workbench = await Workbench.start({ folder: docsFolder(folder.path, 'docs-site'), restricted: true });
    const ledger = path.join(workbench.globalStorage, 'jobs');
    await mkdir(ledger, { recursive: true });
    const now = Date.now();
    const entries = [
      anEntry({ id: 'running', prompt: 'Still running', createdAt: now - 60_000, checkedAt: now - 60_000 }),
      anEnded(
        { id: 'ended', status: 'completed', prLink: 'https://github.com/acme/docs/pull/1' },
        { id: 'ended', prompt: 'Long done', createdAt: now - 90_000, endedAt: now - 80_000 },
      ),
    ];
    for (const entry of entries) {
      await writeFile(path.join(ledger, `${entryFileStem(entryKey(entry))}.json`), writeEntryFile(entry));
    }
    jobs = new JobsWindow(await workbench.newWindow());
  });
  after(async () => {
    await workbench?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });

  it('shows jobs, creates none, and says where trust is given', async () => {
    await jobs.showJobs();
    await jobs.row('Long done', /Pull request ready/);
    await jobs.row('Still running', /Running/);
    // Looking would start the local service.
    await jobs.checkAgain();
    await jobs.row('Still running', /Running, last checked/);
    await jobs.messageSays(/The local service is not used in Restricted Mode/);
    for (const command of ['Create Job…', 'Watch Job by ID…']) {
      await jobs.window.runCommand(`Docs Agent: ${command}`);
      const refused = await jobs.notification(/Jobs are not created in Restricted Mode/);
      assert.deepEqual(refused.buttons, ['Manage Workspace Trust']);
      if (command === 'Create Job…') await jobs.window.runCommand('Notifications: Clear All Notifications');
    }
    await jobs.window.clickNotification('Manage Workspace Trust');
    await jobs.window.page.getByText('You are in Restricted Mode').first().waitFor();
  });

  it('starts no service', () => {
    assert.equal(existsSync(workbench.home), false, 'the local service has its folder');
  });
});

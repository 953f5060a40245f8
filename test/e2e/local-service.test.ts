import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { docsFolder } from '../support/docs-folder.ts';
import { JobsWindow } from '../support/jobs-window.ts';
import {
  commitFiles,
  git,
  originAndClone,
  snapshotRepository,
  temporaryFolder,
  type TemporaryFolder,
} from '../support/repositories.ts';
import { isSoon } from '../support/workbench-window.ts';
import { editorTestMs, Workbench } from '../support/workbench.ts';

/** One editor for all: each test goes on where the one before has ended. */
describe('The local service in VS Code', function () {
  this.timeout(editorTestMs);
  let folder: TemporaryFolder;
  let clone: string;
  let workbench: Workbench;
  let jobs: JobsWindow;

  before(async () => {
    folder = temporaryFolder();
    ({ clone } = originAndClone(folder.path));
    workbench = await Workbench.start({ folder: clone });
    jobs = new JobsWindow(await workbench.newWindow());
  });
  after(async () => {
    await workbench?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });

  it('opens the review page once and touches nothing of the repository', async () => {
    await jobs.showJobs();
    await jobs.welcomeSays(/Say in plain words/);
    const before = snapshotRepository(clone);
    await jobs.createJob('Replace "log in" with "sign in"');
    const review = await jobs.openedPage(1);
    await review.getByText('sign in').first().waitFor();
    await jobs.row('Replace', /Pull request ready/);
    await jobs.badgeSays(0);
    assert.deepEqual(await jobs.window.notifications(), []);
    assert.equal(jobs.opened.length, 1);
    assert.equal(snapshotRepository(clone), before);
  });

  it('says what it can do when it does not understand, and the prompt can be used again', async () => {
    await jobs.createJob('Write a poem about backups');
    const failed = await jobs.notification(
      /“Write a poem about backups” failed\. The built-in rules did not/,
    );
    assert.deepEqual(failed.buttons.slice(0, 2), ['Choose Agent', 'Reuse Prompt']);
    await jobs.row('Write a poem', /Failed: Not understood, new/);
    await jobs.badgeSays(1);
    // There is room for the list.
    await jobs.tooltip('Write a poem', /fix broken links[^]*Choose Agent/);
    await jobs.window.clickNotification('Reuse Prompt');
    await jobs.question(/What should change in/);
    assert.equal(await jobs.window.quickInput().inputValue(), 'Write a poem about backups');
    await jobs.window.quickInput().fill('');
    await jobs.dismiss();
  });

  it('tells when there was nothing to change', async () => {
    await jobs.createJob('Replace "no such words" with "others"');
    await jobs.notification(/is done: there was nothing to change/);
    await jobs.row('Replace "no such words"', /Nothing to change, new/);
    assert.equal(jobs.opened.length, 1);
    await jobs.window.runCommand('Notifications: Clear All Notifications');
  });

  it('tells what a job will not see: unsaved, uncommitted and unpushed pages', async () => {
    await writeFile(path.join(clone, 'docs', 'setup.md'), '# Set-up\n\nNot committed.\n');
    await jobs.window.openFile('docs/index.md');
    await jobs.window.page.keyboard.type('Unsaved. ');
    const unsaved = jobs.window.page.locator('.tab.active.dirty', { hasText: 'index.md' });
    await unsaved.waitFor();
    await jobs.promptTells(/committed and pushed\. 2 files have changes that it will not see/);
    await jobs.dismiss();
    await jobs.window.runCommand('File: Revert File');
    await unsaved.waitFor({ state: 'hidden' });
    git(clone, 'checkout', '--quiet', '--', '.');
    commitFiles(clone, { 'docs/index.md': '# Start\n\nOnly here.\n' }, 'Not pushed');
    await jobs.promptTells(/1 commit is not pushed yet/);
    await jobs.dismiss();
    // Pushed without following the remote's branch: nothing is only here but the page.
    git(clone, 'push', '--quiet', 'origin', 'HEAD');
    git(clone, 'branch', '--unset-upstream');
    await writeFile(path.join(clone, 'docs', 'setup.md'), '# Set-up\n\nNot committed.\n');
    await jobs.promptTells(/^(?!.*(only on the branch|not pushed)).*1 file has changes/s);
    await jobs.dismiss();
    git(clone, 'checkout', '--quiet', '--', '.');
    git(clone, 'branch', '--quiet', '--set-upstream-to', 'origin/main');
  });

  it('fills in the prompt of a link and sends nothing', async () => {
    const rows = (await jobs.rows()).length;
    await jobs.window.runCommand('Open URL');
    const hostile = 'Replace%20%22a%22%20with%20%22b%22%0A%3C!--%20hidden%20--%3E';
    await jobs.answer(/URL/, `code-oss://docs-agent.docs-agent/createJob?prompt=${hostile}&submit=true`);
    await jobs.dialog(/Docs Agent/);
    await jobs.window.clickDialog('Open');
    const editor = jobs.window.page.locator('.editor-instance .view-lines');
    await jobs.window.waitFor('the prompt in an editor, and where it comes from', async () => {
      const text = (await editor.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
      return (/Replace "a" with "b"/.test(text) && /came with a link\. Read it/.test(text)) || undefined;
    });
    assert.equal((await jobs.rows()).length, rows);
    await jobs.window.runCommand('File: Revert File');
  });

  it('asks which of several folders is meant', async () => {
    const workspace = path.join(folder.path, 'docs.code-workspace');
    const folders = [{ path: clone }, { path: docsFolder(folder.path, 'api-docs') }];
    await writeFile(workspace, JSON.stringify({ folders }));
    const window = new JobsWindow(await workbench.newWindow(workspace));
    // Now and then the browser's VS Code opens a workspace file without the folders that it names.
    let patienceMs = 5000;
    await window.window.waitFor('the folders of the workspace', async () => {
      const rows = window.window.page.locator('.explorer-folders-view .monaco-list-row');
      if (await isSoon(rows.nth(1), 'visible', patienceMs)) return true;
      patienceMs *= 2;
      await window.window.reload();
      return undefined;
    });
    // The place of the pages below its own folder, where it is not that folder. Folders whose files are not read
    // within seconds count as Markdown, on a machine that has much else to do.
    const projects = ['cloneMarkdown clone/docs', 'api-docsMkDocs'];
    await window.window.waitFor(`the projects ${projects.join(', ')}`, async () => {
      await window.beginJob();
      const shown = (await window.window.picks()).map((text) => text.replaceAll(/\s+/g, ' '));
      if (isDeepStrictEqual(shown, projects)) return true;
      await window.dismiss();
      return undefined;
    });
    await window.window.pick('api-docs');
    // It has no git, which the local service needs; said before a prompt is typed in vain.
    await window.notification(/not in a git repository.*run “git init”/);
    await window.window.close();
  });

  it('says what is missing: a folder, pages, git', async () => {
    const none = new JobsWindow(await workbench.newWindow('nothing'));
    await none.window.runCommand('Docs Agent: Create Job…');
    const first = await none.notification(/Open the folder of your docs project first/);
    assert.deepEqual(first.buttons, ['Open Folder']);
    await none.window.close();

    const empty = path.join(folder.path, 'empty');
    await mkdir(empty);
    const pageless = new JobsWindow(await workbench.newWindow(empty));
    await pageless.window.runCommand('Docs Agent: Create Job…');
    await pageless.notification(/No docs project was found/);
    await pageless.window.close();
  });
});

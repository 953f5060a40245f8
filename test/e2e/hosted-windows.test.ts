import assert from 'node:assert/strict';
import { docsFolder } from '../support/docs-folder.ts';
import { startHostedService, type HostedService } from '../support/hosted-service.ts';
import { JobsWindow } from '../support/jobs-window.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/repositories.ts';
import { editorTestMs, Workbench } from '../support/workbench.ts';

/** One editor for all: each test goes on where the one before has ended. */
describe('Jobs over reloads, restarts and windows', function () {
  this.timeout(editorTestMs);
  let folder: TemporaryFolder;
  let service: HostedService;
  let workbench: Workbench;
  let jobs: JobsWindow;

  before(async () => {
    folder = temporaryFolder();
    service = await startHostedService();
    service.script({ looks: Number.POSITIVE_INFINITY, end: 'active' });
    workbench = await Workbench.start({
      folder: docsFolder(folder.path, 'docs-site'),
      settings: { 'docsAgent.service.baseUrl': service.url, 'docsAgent.projectId': service.projectId },
    });
    jobs = new JobsWindow(await workbench.newWindow());
    await jobs.showJobs();
    await jobs.beginJob();
    await jobs.answer(/API key for/, service.apiKey);
    await jobs.answer(/What should change in/, 'Survive the reload');
    await jobs.row('Survive the reload', /Running/);
  });
  after(async () => {
    await workbench?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });

  const looks = (): number => service.requests.filter(({ operation }) => operation === 'get').length;
  const pullRequest = (number: number): string => `${service.url}/acme/docs/pull/${number}`;
  const newestId = (): string => service.jobIds.at(-1) ?? assert.fail('no job');

  it('a reload in the middle keeps the job; its end is seen and its pull request opens', async () => {
    await jobs.window.reload();
    await jobs.showJobs();
    await jobs.row('Survive the reload', /Running/);
    // Seen active in this session, which is what makes its end news.
    await service.received('get', looks() + 1);
    service.setJob(newestId(), 'completed', pullRequest(1));
    assert.equal((await jobs.openedPage(1)).url(), pullRequest(1));
    await jobs.row('Survive the reload', /Pull request ready, (just now|1 minute ago)/);
  });

  it('what ended while the editor was closed is not announced, only counted', async () => {
    for (const prompt of ['End unseen', 'Fail unseen']) {
      await jobs.createJob(prompt);
      await jobs.row(prompt, /Running/);
    }
    const [, good = '', bad = ''] = service.jobIds;
    await workbench.restart(() => {
      service.setJob(good, 'completed', pullRequest(2));
      service.setJob(bad, 'failed');
    });
    jobs = new JobsWindow(await workbench.newWindow());
    await jobs.showJobs();
    await jobs.row('End unseen', /Pull request ready, new/);
    await jobs.row('Fail unseen', /Failed, new/);
    await jobs.badgeSays(2);
    await jobs.statusSays('2 docs results');
    await jobs.isQuiet();
    await jobs.act('End unseen', 'Open Pull Request');
    assert.equal((await jobs.openedPage(1)).url(), pullRequest(2));
    await jobs.badgeSays(1);
  });

  it('of two windows one looks, both show, and the other one takes over', async () => {
    const second = new JobsWindow(await workbench.newWindow());
    await second.showJobs();
    await jobs.createJob('Seen by two');
    await second.row('Seen by two', /Running/);
    const before = looks();
    await service.received('get', before + 3);
    const times = service.requests.filter(({ operation }) => operation === 'get').map(({ at }) => at);
    const pauses = times.slice(before).map((at, index, all) => at - (all[index - 1] ?? -Infinity));
    // The shortest pause of one poller; two of them would meet within three looks.
    assert.ok(Math.min(...pauses) > 2300, `looked after ${pauses.join(', ')} ms`);

    await jobs.window.close();
    const seen = looks();
    await service.received('get', seen + 1);
    service.setJob(newestId(), 'completed', pullRequest(3));
    await second.checkAgain();
    assert.equal((await second.openedPage(1)).url(), pullRequest(3));
    await second.row('Seen by two', /Pull request ready/);
    jobs = second;
  });

  it('a key that the secret storage has lost is missed by name, not asked for as if for the first time', async () => {
    await jobs.createJob('Lose the key');
    await jobs.row('Lose the key', /Running/);
    // What a machine without a keyring does: secrets are gone at the next start, without an error.
    await jobs.window.forgetSecrets();
    await jobs.window.reload();
    await jobs.showJobs();
    await jobs.messageSays(/was saved, but this machine’s secret storage no longer has it.*keyring/);
    await jobs.row('Lose the key', /Running/);
    await jobs.forgetAll();
    await jobs.welcomeSays(/was saved, but this machine’s secret storage no longer has it.*keyring/);
    await jobs.clickWelcome('Set API Key');
    await jobs.answer(/API key for/, service.apiKey);
    await jobs.welcomeSays(/Say in plain words/);
  });
});

import assert from 'node:assert/strict';
import { startHostedService, type HostedService } from '../support/hosted-service.ts';
import { docsFolder } from '../support/docs-folder.ts';
import { JobsWindow } from '../support/jobs-window.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/repositories.ts';
import { editorTestMs, Workbench } from '../support/workbench.ts';

/** One editor for all: each test goes on where the one before has ended, as a writer's day does. */
describe('A hosted service in VS Code', function () {
  this.timeout(editorTestMs);
  let folder: TemporaryFolder;
  let service: HostedService;
  let hostile: HostedService;
  let workbench: Workbench;
  let jobs: JobsWindow;

  before(async () => {
    folder = temporaryFolder();
    service = await startHostedService();
    hostile = await startHostedService();
    service.script({ looks: Number.POSITIVE_INFINITY, end: 'active' });
    docsFolder(folder.path, 'redirected', {
      '.vscode/settings.json': JSON.stringify({
        'docsAgent.service.baseUrl': hostile.url,
        'docsAgent.projectId': service.projectId,
      }),
    });
    workbench = await Workbench.start({
      folder: docsFolder(folder.path, 'docs-site'),
      settings: { 'docsAgent.service.baseUrl': service.url },
    });
    jobs = new JobsWindow(await workbench.newWindow());
  });
  after(async () => {
    await workbench?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
    await hostile?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });
  afterEach(() => service.heal());

  const count = (operation: 'create' | 'get'): number =>
    service.requests.filter((request) => request.operation === operation).length;
  const looksAt = (id: string): number =>
    service.requests.filter(({ method, path }) => method === 'GET' && path.endsWith(`/${id}`)).length;
  const newestId = (): string => service.jobIds.at(-1) ?? assert.fail('no job');
  /** A page that can be opened without leaving the machine. */
  const pullRequest = (number: number): string => `${service.url}/acme/docs/pull/${number}`;
  const createJob = async (prompt: string): Promise<string> => {
    const before = count('create');
    await jobs.createJob(prompt);
    await service.received('create', before + 1);
    await jobs.row(prompt, /Running/);
    return newestId();
  };

  it('asks for the key where there is none, and refuses the wrong kind before anything is sent', async () => {
    await jobs.showJobs();
    await jobs.welcomeSays(/needs an API key/);
    await jobs.clickWelcome('Set API Key');
    await jobs.answer(/API key for http/, 'mint_dsc_0123456789abcdef');
    await jobs.question(/assistant key .* need an admin API key/);
    await jobs.dismiss();
    assert.equal(service.requests.length, 0);
  });

  it('asks for key, project and prompt in one go, and sends what the description says', async () => {
    await jobs.beginJob();
    await jobs.answer(/\(1\/3\)[^]*API key for/, service.apiKey);
    await jobs.answer(/\(2\/3\)[^]*Project ID of “docs-site”/, service.projectId);
    await jobs.answer(/\(3\/3\)[^]*What should change in “docs-site”/, 'Document the retry option');
    await jobs.row('Document the retry option', /Running, (just now|1 minute ago)/);
    await jobs.statusSays('1 docs job');
    const [create] = service.requests;
    assert.ok(create);
    assert.equal(create.method, 'POST');
    assert.equal(create.path, `/v2/agent/${service.projectId}/job`);
    assert.equal(create.body, '{"prompt":"Document the retry option"}');
    assert.equal(create.headers.authorization, `Bearer ${service.apiKey}`);
    assert.match(create.headers['content-type'] ?? '', /^application\/json/);
    assert.match(String(create.headers['idempotency-key']), /^[\da-f-]{36}$/);
  });

  it('opens the pull request once when the job completes', async () => {
    const id = newestId();
    service.setJob(id, 'completed', pullRequest(1));
    await jobs.checkAgain();
    assert.equal((await jobs.openedPage(1)).url(), pullRequest(1));
    await jobs.row('Document the retry option', /Pull request ready/);
    await jobs.statusSays('');
    await jobs.badgeSays(0);
    const looks = looksAt(id);
    await jobs.checkAgain();
    // The look at another job, asked for afterwards, shows that there was none at this one.
    const other = await createJob('Look at this one');
    await jobs.checkAgain();
    await jobs.window.waitFor('a look', async () => looksAt(other) > 0 || undefined);
    assert.equal(looksAt(id), looks, 'a job that has ended is not looked at again');
    assert.equal(jobs.opened.length, 1);
    service.setJob(other, 'archived');
    await jobs.checkAgain();
    await jobs.statusSays('');
  });

  it('leaves a link to another site to VS Code’s own question', async () => {
    await createJob('Describe the limits');
    service.setJob(newestId(), 'completed', 'https://github.com/acme/docs/pull/7');
    await jobs.checkAgain();
    assert.match(
      await jobs.dialog(/open the external website/),
      /https:\/\/github\.com\/acme\/docs\/pull\/7/,
    );
    await jobs.window.clickDialog('Cancel');
    // What was not looked at stays on the badge.
    await jobs.row('Describe the limits', /Pull request ready, new/);
    await jobs.badgeSays(1);
    await jobs.statusSays('1 docs result');
  });

  it('says that there was nothing to change, and that a job failed', async () => {
    await createJob('Change nothing');
    service.setJob(newestId(), 'completed', null);
    await jobs.checkAgain();
    const done = await jobs.notification(/“Change nothing” is done: there was nothing to change/);
    assert.deepEqual(done.buttons.slice(0, 1), ['Show Details']);
    await jobs.row('Change nothing', /Nothing to change, new/);
    await createJob('Fail at it');
    service.setJob(newestId(), 'failed');
    await jobs.checkAgain();
    const failed = await jobs.notification(/“Fail at it” failed\. .*did not say why/);
    assert.deepEqual(failed.buttons.slice(0, 2), ['Show Details', 'Reuse Prompt']);
    await jobs.row('Fail at it', /Failed, new/);
    await jobs.window.runCommand('Notifications: Clear All Notifications');
  });

  it('keeps the prompt when the answer to create is lost, and does not send it twice', async () => {
    const before = count('create');
    service.fail({ kind: 'reset', performed: true }, 'create', 1);
    await jobs.createJob('Perhaps once');
    await jobs.notification(/the job may have started/);
    await jobs.row('Perhaps once', /May have started/);
    assert.equal(count('create'), before + 1);
    await jobs.act('Perhaps once', 'Reuse Prompt');
    await jobs.question(/What should change in/);
    assert.equal(await jobs.window.quickInput().inputValue(), 'Perhaps once');
    await jobs.dismiss();
    assert.equal(count('create'), before + 1);
    await jobs.act('Perhaps once', 'Forget Job');
  });

  it('tells a rate limit and keeps the prompt', async () => {
    service.fail({ kind: 'answer', status: 429, headers: { 'retry-after': '120' } }, 'create', 1);
    await jobs.createJob('Too many');
    await jobs.notification(/rate limit is reached\. Try again in 2 minutes/);
    await jobs.row('Too many', /Not started/);
    await jobs.act('Too many', 'Forget Job');
    await jobs.window.runCommand('Notifications: Clear All Notifications');
  });

  it('shows a status that it does not know as it came', async () => {
    const id = await createJob('Wait in line');
    const body = JSON.stringify({ id, status: 'queued_for_review' });
    const headers = { 'content-type': 'application/json' };
    service.fail({ kind: 'answer', status: 200, body, headers }, 'get');
    await jobs.checkAgain();
    assert.match((await jobs.row('Wait in line', /queued_for_review/)).description, /^queued_for_review/);
    service.heal();
    await jobs.checkAgain();
    await jobs.row('Wait in line', /Running/);
    service.setJob(id, 'archived');
    await jobs.checkAgain();
    await jobs.window.waitFor('the archived job to leave the open groups', async () =>
      (await jobs.rows()).some((row) => row.accessibleLabel.includes('Wait in line')) ? undefined : true,
    );
  });

  it('keeps the last state while a proxy answers or nobody does, says when it was, and recovers', async () => {
    const id = await createJob('Outlast the network');
    const page = '<html><body>Log in to the <b>network</b></body></html>';
    service.fail(
      { kind: 'answer', status: 200, body: page, headers: { 'content-type': 'text/html' } },
      'get',
    );
    await jobs.checkAgain();
    await jobs.row('Outlast the network', /Running, last checked \d/);
    assert.doesNotMatch(await jobs.messageSays(/./), /[<>]/);
    service.heal();
    service.fail({ kind: 'reset' }, 'get');
    await jobs.checkAgain();
    await jobs.messageSays(/The connection to 127\.0\.0\.1:\d+ broke off/);
    await jobs.row('Outlast the network', /Running, last checked/);
    await jobs.statusSays('Docs jobs not checked');
    assert.deepEqual(await jobs.window.notifications(), []);
    service.heal();
    await jobs.checkAgain();
    await jobs.row('Outlast the network', /Running, just now|Running, 1 minute ago/);
    await jobs.messageSays(/^$/);
    await jobs.statusSays('1 docs job');
    service.setJob(id, 'completed', null);
    await jobs.checkAgain();
    await jobs.row('Outlast the network', /Nothing to change/);
  });

  it('waits as long as Retry-After says', async () => {
    const id = await createJob('Be patient');
    service.fail({ kind: 'answer', status: 429, headers: { 'retry-after': '7' } }, 'get', 1);
    const before = count('get');
    await service.received('get', before + 2);
    const [refused, next] = service.requests.filter(({ operation }) => operation === 'get').slice(before);
    assert.ok(refused && next);
    assert.ok(next.at - refused.at >= 7000, `${next.at - refused.at} ms`);
    await jobs.row('Be patient', /Running, (just now|1 minute)/);
    service.setJob(id, 'completed', null);
    await jobs.checkAgain();
    await jobs.row('Be patient', /Nothing to change/);
    await jobs.window.runCommand('Notifications: Clear All Notifications');
  });

  it('stops at a key that is no longer accepted, says it once, and goes on with a new one', async () => {
    const first = await createJob('Expire in the middle');
    const second = await createJob('Expire as well');
    service.acceptKey(undefined);
    await jobs.checkAgain();
    const refused = await jobs.notification(/does not accept the API key/);
    assert.deepEqual(refused.buttons.slice(0, 2), ['Check Again', 'Replace Key']);
    await jobs.row('Expire in the middle', /Running, last checked/);
    await jobs.row('Expire as well', /Running/);
    await jobs.messageSays(/does not accept the API key/);
    await jobs.statusSays('Docs jobs not checked');
    assert.equal((await jobs.window.notifications()).length, 1);
    // A look at the other job may still have been on its way.
    let stopped = -1;
    while (stopped !== count('get')) {
      stopped = count('get');
      await jobs.window.page.waitForTimeout(1000);
    }
    // Without the stop the next look would come after 6 seconds at the latest.
    await jobs.window.page.waitForTimeout(6000);
    assert.equal(count('get'), stopped, 'a refused key is not tried again by itself');

    service.acceptKey('mint_a_new_key_0123456789');
    await jobs.window.clickNotification('Replace Key');
    await jobs.answer(/API key for/, '  Bearer mint_a_new_key_0123456789 ');
    await jobs.row('Expire in the middle', /Running, (just now|1 minute)/);
    await jobs.row('Expire as well', /Running, (just now|1 minute)/);
    await jobs.messageSays(/^$/);
    assert.equal(service.requests.at(-1)?.headers.authorization, 'Bearer mint_a_new_key_0123456789');

    service.setJob(first, 'completed', null);
    service.fail({ kind: 'answer', status: 403, body: '{"error":"Address not allowed."}' }, 'get');
    await jobs.checkAgain();
    await jobs.messageSays(/does not allow this with the API key.*“Address not allowed\.”/);
    await jobs.notification(/does not allow this with the API key/);
    service.heal();
    await jobs.window.clickNotification('Check Again');
    await jobs.row('Expire in the middle', /Nothing to change/);
    service.setJob(second, 'completed', null);
    await jobs.checkAgain();
    await jobs.row('Expire as well', /Nothing to change/);
  });

  it('sends the key nowhere else whatever a repository’s settings say, and asks once for its project', async () => {
    const other = new JobsWindow(await workbench.newWindow(`${folder.path}/redirected`));
    const before = service.requests.length;
    const question = /Send jobs of “redirected” to the project “acme-docs”\?/;
    for (const choice of ['Cancel', 'Use This Project']) {
      await other.window.runCommand('Docs Agent: Create Job…');
      await other.dialog(question);
      await other.window.clickDialog(choice);
    }
    assert.equal(service.requests.length, before);
    await other.answer(/What should change in/, 'Once is enough');
    await other.showJobs();
    await other.row('Once is enough', /Running/);
    assert.equal(await other.window.dialog(), undefined);
    await other.createJob('No second question');
    await other.row('No second question', /Running/);
    assert.equal(hostile.requests.length, 0);
    await other.window.close();
  });
});

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { LocalCodeHost } from '../../src/adapters/hosts/local/local-code-host.ts';
import { LocalReviews } from '../../src/adapters/hosts/local/local-reviews.ts';
import { openStores } from '../../src/adapters/sqlite/stores.ts';
import type { HostedRepository, NewPullRequest } from '../../src/service/ports/code-host.ts';
import { type GitService, gitService, noSignal, projectOf } from '../support/git-service.ts';
import {
  commitFiles,
  type Files,
  git,
  originAndClone,
  repositoryWithoutRemote,
  type TemporaryFolder,
  temporaryFolder,
  writeFiles,
} from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';

describe('the local code host', () => {
  let folder: TemporaryFolder;
  let service: GitService;
  let stores: ReturnType<typeof openStores>;
  let reviews: LocalReviews;

  beforeEach(() => {
    folder = temporaryFolder();
    service = gitService(folder.path);
    mkdirSync(service.folders.data);
    stores = openStores(path.join(service.folders.data, 'service.sqlite'));
    const { workspaces } = service;
    reviews = new LocalReviews({ store: stores.reviews, workspaces, projects: stores.projects });
  });

  afterEach(async () => {
    await stores[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const connect = async (repository: string): Promise<HostedRepository> => {
    const project = projectOf(repository);
    await stores.projects.put(project);
    return new LocalCodeHost({ store: stores.reviews, workspaces: service.workspaces }).connect(project);
  };

  const pushed = async (
    repository: string,
    files: Files,
    branch = 'docs-agent/j',
  ): Promise<NewPullRequest> => {
    const project = projectOf(repository);
    await using workspace = await service.workspaces.open({ jobId: branch, project, signal: noSignal });
    writeFiles(workspace.directory, files);
    const headCommit = (await workspace.commit('Change', {})) ?? '';
    await service.workspaces.push(project, branch, headCommit, noSignal);
    const { baseCommit } = workspace;
    return {
      jobId: 'j',
      title: 'Change',
      body: 'Text',
      branch,
      baseBranch: 'main',
      baseCommit,
      headCommit,
      draft: false,
      warn: () => {},
    };
  };

  const tokenOf = (link: string): string => link.slice('/review/'.length);

  it('opens a review at an address that nobody guesses, once per branch', async () => {
    const { clone } = originAndClone(folder.path);
    const repository = await connect(clone);
    const request = await pushed(clone, { 'README.md': 'x\n' });
    const pull = await repository.create(request, noSignal);
    assert.match(pull.link, /^\/review\/[\w-]{32}$/);
    assert.equal(pull.number, 1);
    const second = await repository.create({ ...request, title: 'Later title' }, noSignal);
    assert.deepEqual(second, pull);
    assert.deepEqual(await repository.findOpen(request.branch, noSignal), pull);
    const other = await repository.create(await pushed(clone, { 'a.md': 'a\n' }, 'docs-agent/k'), noSignal);
    assert.equal(other.number, 2);
    assert.notEqual(other.link, pull.link);
    const view = await reviews.view(tokenOf(pull.link));
    assert.ok(view);
    assert.equal(view.review.title, 'Later title');
    assert.deepEqual(
      view.files.map((file) => file.path),
      ['README.md'],
    );
    assert.equal(view.commits.length, 1);
    assert.match(view.diff, /\+x/);
    assert.equal(view.canCheckOut, false);
    assert.equal(await reviews.view('x'.repeat(32)), undefined);
    assert.equal(await reviews.merge('x'.repeat(32)), undefined);
  });

  it('says that it has no drafts', async () => {
    const { clone } = originAndClone(folder.path);
    const repository = await connect(clone);
    const request = await pushed(clone, { 'README.md': 'x\n' });
    const warnings: string[] = [];
    await repository.create({ ...request, draft: true, warn: (text) => void warnings.push(text) }, noSignal);
    assert.deepEqual(warnings, ['The review page of the service has no drafts.']);
  });

  it('shows a follow-up in the same review', async () => {
    const { clone } = originAndClone(folder.path);
    const repository = await connect(clone);
    const request = await pushed(clone, { 'README.md': 'x\n' });
    const pull = await repository.create(request, noSignal);
    const { baseCommit, branch, headCommit } = request;
    const project = projectOf(clone);
    await using workspace = await service.workspaces.open({
      jobId: 'j',
      project,
      signal: noSignal,
      from: { baseCommit, branch, headCommit },
    });
    writeFiles(workspace.directory, { 'more.md': 'more\n' });
    const next = (await workspace.commit('More', {})) ?? '';
    await service.workspaces.push(project, branch, next, noSignal);
    await repository.update(pull, { title: 'Both', body: 'New', headCommit: next }, noSignal);
    const view = await reviews.view(tokenOf(pull.link));
    assert.deepEqual(
      view?.commits.map((commit) => commit.subject),
      ['More', 'Change'],
    );
    assert.deepEqual(
      view?.files.map((file) => file.path),
      ['README.md', 'more.md'],
    );
    await assert.rejects(
      repository.update({ number: 99, link: '' }, { title: '', body: '', headCommit: '' }, noSignal),
      failsWith('pull_request_failed', /99 is gone/),
    );
  });

  it('merges by a click, and says so ever after', async () => {
    const { origin, clone } = originAndClone(folder.path);
    const repository = await connect(clone);
    const pull = await repository.create(await pushed(clone, { 'README.md': 'x\n' }), noSignal);
    const token = tokenOf(pull.link);
    assert.deepEqual(await reviews.merge(token), { done: true, message: 'Merged into main.' });
    assert.equal(git(origin, 'show', 'main:README.md'), 'x');
    assert.equal(await repository.state(pull, noSignal), 'merged');
    const view = await reviews.view(token);
    assert.equal(view?.review.state, 'merged');
    assert.equal(view.review.mergeCommit, git(origin, 'rev-parse', 'main'));
    assert.match(view.diff, /\+x/, 'still shows what was merged');
    for (const again of [await reviews.merge(token), await reviews.close(token)]) {
      assert.deepEqual(again, {
        done: false,
        message: 'This review is merged already. Nothing was changed.',
      });
    }
    assert.equal(await repository.findOpen('docs-agent/j', noSignal), undefined);
  });

  it('says conflicts by their paths and leaves the review open', async () => {
    const { origin, clone } = originAndClone(folder.path);
    const repository = await connect(clone);
    const pull = await repository.create(await pushed(clone, { 'README.md': 'x\n' }), noSignal);
    const theirs = commitFiles(clone, { 'README.md': 'y\n' });
    git(clone, 'push', '--quiet');
    const result = await reviews.merge(tokenOf(pull.link));
    assert.equal(result?.done, false);
    assert.match(result.message, /same places \(README\.md\)/);
    assert.equal(git(origin, 'rev-parse', 'main'), theirs);
    assert.equal(await repository.state(pull, noSignal), 'open');
  });

  it('sees that somebody merged it with git', async () => {
    const alone = repositoryWithoutRemote(folder.path);
    const repository = await connect(alone);
    const request = await pushed(alone, { 'README.md': 'x\n' });
    const pull = await repository.create(request, noSignal);
    assert.equal(await repository.state(pull, noSignal), 'open');
    assert.deepEqual(await reviews.checkOut(tokenOf(pull.link)), {
      done: true,
      message: 'The branch docs-agent/j is checked out now.',
    });
    git(alone, 'checkout', '--quiet', 'main');
    git(alone, 'merge', '--quiet', 'docs-agent/j');
    assert.equal(await repository.state(pull, noSignal), 'merged');
    assert.equal((await reviews.view(tokenOf(pull.link)))?.review.state, 'merged');
  });

  it('answers with a sentence, not a failure, when git cannot', async () => {
    const { origin, clone } = originAndClone(folder.path);
    const repository = await connect(clone);
    const pull = await repository.create(await pushed(clone, { 'README.md': 'x\n' }), noSignal);
    const token = tokenOf(pull.link);
    writeFiles(origin, {
      'hooks/pre-receive': '#!/bin/sh\necho "GH006: Protected branch update failed" >&2\nexit 1\n',
    });
    chmodSync(path.join(origin, 'hooks', 'pre-receive'), 0o755);
    const result = await reviews.merge(token);
    assert.equal(result?.done, false);
    assert.match(result.message, /protected/);
    assert.equal(await repository.state(pull, noSignal), 'open');
    assert.deepEqual(await reviews.close(token), {
      done: true,
      message: 'Closed. The branch stays, nothing was merged.',
    });
    assert.equal(await repository.state(pull, noSignal), 'closed');
  });

  it('keeps the page of a repository without a remote useful while work is in the way', async () => {
    const alone = repositoryWithoutRemote(folder.path);
    const repository = await connect(alone);
    const pull = await repository.create(await pushed(alone, { 'README.md': 'x\n' }), noSignal);
    writeFiles(alone, { 'README.md': 'mine\n' });
    const token = tokenOf(pull.link);
    assert.equal((await reviews.view(token))?.canCheckOut, true);
    assert.match((await reviews.merge(token))?.message ?? '', /Commit or stash/);
    assert.match((await reviews.checkOut(token))?.message ?? '', /Commit or stash/);
    writeFiles(alone, { 'README.md': '# Sample\n\nHow to log in.\n' });
    assert.equal((await reviews.merge(token))?.done, true);
    assert.equal(git(alone, 'show', 'HEAD:README.md'), 'x');
  });
});

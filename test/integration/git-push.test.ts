import assert from 'node:assert/strict';
import path from 'node:path';
import { inspect } from 'node:util';
import { gitService, noSignal, projectOf, pushedJob } from '../support/git-service.ts';
import { commitFiles, git, installHook, originAndClone, temporaryFolder } from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';

describe('pushing', () => {
  it('makes the branch, and does nothing more when repeated', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, clone, { 'README.md': 'x\n' });
    assert.equal(git(origin, 'rev-parse', 'docs-agent/j'), head);
    await service.workspaces.push(projectOf(clone), 'docs-agent/j', head, noSignal);
    assert.equal(
      git(origin, 'for-each-ref', '--format=%(refname)'),
      'refs/heads/docs-agent/j\nrefs/heads/main',
    );
  });

  it("never overwrites somebody else's commits", async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    git(clone, 'checkout', '--quiet', '-b', 'docs-agent/j');
    const theirs = commitFiles(clone, { 'theirs.md': 'theirs\n' });
    git(clone, 'push', '--quiet', 'origin', 'docs-agent/j');
    await using service = gitService(folder.path);
    await assert.rejects(
      pushedJob(service, clone, { 'README.md': 'x\n' }),
      failsWith('push_rejected', /Somebody else's commits/),
    );
    assert.equal(git(origin, 'rev-parse', 'docs-agent/j'), theirs);
  });

  it('never pushes to the base branch nor to what is no branch', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    await using service = gitService(folder.path);
    const { base, head } = await pushedJob(service, clone, { 'README.md': 'x\n' });
    for (const branch of ['main', '-d', 'a..b', 'x.lock', 'a b', '', 'x:main', 'a//b', 'HEAD^']) {
      await assert.rejects(
        service.workspaces.push(projectOf(clone), branch, head, noSignal),
        failsWith('push_rejected', /never pushes|cannot be the name|refuse/),
        branch,
      );
    }
    assert.equal(git(origin, 'rev-parse', 'main'), base);
  });

  it('names what the host refuses', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    await using service = gitService(folder.path);
    const cases: [string, Parameters<typeof failsWith>][] = [
      ['error: GH013: Repository rule violations found for refs/heads/x', ['push_rejected', /GH013/]],
      [
        'error: GH013: Repository rule violations found for refs/heads/x.\n- GITHUB PUSH PROTECTION\n- Push cannot contain secrets',
        ['push_rejected', /placeholder/],
      ],
      ['error: GH007: Your push would publish a private email address.', ['push_rejected', /GH007/]],
      ['error: GH001: Large files detected.', ['push_rejected', /too large/]],
      [
        'Branch refs/heads/x can only be modified through pull requests.',
        ['push_rejected', /protected at the host/],
      ],
      ['Gitea: Not allowed to push to protected branch x', ['push_rejected', /protected at the host/]],
      ['TF402455: Pushes to this branch are not permitted', ['push_rejected', /policy of Azure/]],
      ['error: GH003: Sorry, force-pushing to x is not allowed.', ['push_rejected', /GH003/]],
      ['error: GH006: Protected branch update failed', ['push_rejected', /protected/]],
      ['GitLab: Commit message does not follow the pattern', ['push_rejected', /GitLab/]],
      ['TF401027: You need the Git GenericContribute permission', ['permission_denied', /Azure/]],
      [
        'remote: You can only push your own commits in this repository',
        ['push_rejected', /only commits of the account/],
      ],
      ['refusing to allow an OAuth App to create or update workflow `x`', ['permission_denied', /workflow/]],
      ['This repository was archived so it is read-only.', ['permission_denied', /archived/]],
      ['no reason', ['push_rejected', /rule at the host/]],
    ];
    for (const [text, [code, words]] of cases) {
      installHook(origin, 'pre-receive', `echo '${text}' >&2; exit 1`);
      await assert.rejects(pushedJob(service, clone, { 'README.md': 'x\n' }), failsWith(code, words), text);
    }
  });

  it('keeps secrets, and what a terminal would obey, out of the words of a host', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    await using service = gitService(folder.path);
    service.redactor.register('hunter2hunter2hunter2', 'me');
    const basic = Buffer.from('me:hunter2hunter2hunter2').toString('base64');
    const words = `\\033[31mNo.\\033[0m \\033]8;;http://evil\\007 hunter2hunter2hunter2 ${basic} https://me:pw@h/ \\342\\200\\256ok`;
    installHook(origin, 'pre-receive', `printf '${words}\\nmore\\n' >&2; exit 1`);
    await assert.rejects(pushedJob(service, clone, { 'README.md': 'x\n' }), (error: unknown) => {
      const said = 'No\\. {1,2}\\[redacted\\] \\[redacted\\] https://\\[redacted\\]@h/ ok';
      failsWith('push_rejected', new RegExp(`: ${said}\\. Ask`))(error);
      assert.doesNotMatch(inspect(error, { depth: 5 }), /hunter2|bWU6|me:pw/);
      return true;
    });
  });

  it('names a branch in the way of the prefix', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    git(clone, 'push', '--quiet', 'origin', 'main:refs/heads/docs-agent');
    await using service = gitService(folder.path);
    await assert.rejects(
      pushedJob(service, clone, { 'README.md': 'x\n' }),
      failsWith('push_rejected', /prefix/),
    );
  });

  it('lets one of two commits win when two pushes race', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    await using one = gitService(path.join(folder.path, 'one'));
    await using two = gitService(path.join(folder.path, 'two'));
    const heads = [
      (await pushedJob(one, clone, { 'README.md': '1\n' }, '')).head,
      (await pushedJob(two, clone, { 'README.md': '2\n' }, '')).head,
    ] as const;
    const results = await Promise.allSettled([
      one.workspaces.push(projectOf(clone), 'docs-agent/j', heads[0], noSignal),
      two.workspaces.push(projectOf(clone), 'docs-agent/j', heads[1], noSignal),
    ]);
    const won = results.findIndex((result) => result.status === 'fulfilled');
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
    assert.equal(git(origin, 'rev-parse', 'docs-agent/j'), heads[won]);
  });
});

import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type GitService, gitService, noSignal, projectOf, pushedJob } from '../support/git-service.ts';
import { git, originAndClone, temporaryFolder } from '../support/repositories.ts';

/** A folder whose checkouts the person's configuration treats in another way than all the others. */
function personWithTwoRoles(folder: string): { origin: string; clone: string; ranSsh: string; trap: string } {
  const work = path.join(folder, 'work');
  mkdirSync(work);
  const { origin, clone } = originAndClone(work);
  const ranSsh = path.join(folder, 'ran-ssh');
  const trap = path.join(folder, 'trap');
  /** In the place of ssh: what git wants done at the other side is done here. */
  const ssh = (role: string): string => {
    const program = path.join(folder, `ssh-${role}`);
    const script = `for last; do :; done\necho ${role} "$@" >> ${ranSsh}\nexec sh -c "$last"`;
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
    return program;
  };
  const helper = (role: string): string =>
    `!f() { cat > /dev/null; echo username=${role}; echo password=of-${role}-12; }; f`;
  const main = path.join(folder, '.gitconfig');
  const included = path.join(folder, '.gitconfig-work');
  const set = (file: string, key: string, value: string): string =>
    git(folder, 'config', '--file', file, '--add', key, value);
  set(main, 'ssh.variant', 'ssh');
  set(main, 'core.sshCommand', ssh('home'));
  set(main, 'credential.helper', helper('home'));
  set(main, `includeIf.gitdir:${work}/.path`, included);
  set(included, 'core.sshCommand', ssh('work'));
  set(included, 'credential.https://code.invalid.helper', '');
  set(included, 'credential.https://code.invalid.helper', helper('work'));
  // The repository's own word counts neither directly nor by a file that it names.
  const theirs = path.join(folder, 'theirs');
  set(theirs, 'core.sshCommand', `touch ${trap};`);
  set(theirs, 'credential.helper', `!touch ${trap};`);
  git(clone, 'config', 'include.path', theirs);
  git(clone, 'config', 'credential.helper', `!touch ${trap};`);
  return { origin, clone, ranSsh, trap };
}

const secretAt = async (service: GitService, url: string): Promise<string | undefined> =>
  (await service.credentials.find(url, 'docs', noSignal))?.secret;

describe("the person's configuration for one folder of theirs", () => {
  it('says with which ssh a job there reaches the remote', async () => {
    using folder = temporaryFolder();
    const { origin, clone, ranSsh, trap } = personWithTwoRoles(folder.path);
    git(clone, 'remote', 'set-url', 'origin', `ssh://git@code.invalid${origin}`);
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, clone, { 'README.md': 'new\n' });
    assert.equal(git(origin, 'rev-parse', 'docs-agent/j'), head);
    const runs = readFileSync(ranSsh, 'utf8').trim().split('\n');
    for (const run of runs) assert.match(run, /^work .*BatchMode=yes .*git@code\.invalid git-/);
    assert.ok(runs.some((run) => run.includes('git-receive-pack')));
    assert.equal(existsSync(trap), false);
  });

  it('says which helpers are asked for it, and for no other project', async () => {
    using folder = temporaryFolder();
    const { origin, clone, trap } = personWithTwoRoles(folder.path);
    const url = 'https://code.invalid/team/docs.git';
    await using service = gitService(folder.path);
    assert.equal(await secretAt(service, url), 'of-home-12');
    await service.workspaces.inspect(projectOf(clone, { baseBranch: 'main' }), noSignal);
    assert.equal(await secretAt(service, url), 'of-work-12');
    assert.equal(await secretAt(service, 'https://elsewhere.invalid/team/docs.git'), 'of-home-12');
    const other = await service.credentials.find(url, 'other', noSignal);
    assert.equal(other?.secret, 'of-home-12');
    // The same project, elsewhere now.
    await service.workspaces.inspect(projectOf(`file://${origin}`), noSignal);
    assert.equal(await secretAt(service, url), 'of-home-12');
    assert.equal(existsSync(trap), false);
  });
});

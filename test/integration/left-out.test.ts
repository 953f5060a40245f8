import assert from 'node:assert/strict';
import { gitService, noSignal, projectOf } from '../support/git-service.ts';
import { JobWorld, obedient } from '../support/job-world.ts';
import { originAndClone, temporaryFolder, writeFiles } from '../support/repositories.ts';

describe('new pages that the ignore rules of a repository leave out', () => {
  it('are found by git, without what programs put beside them', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path, {
      'a.md': 'a\n',
      'drafts/kept.md': 'kept\n',
    });
    await using service = gitService(folder.path);
    const project = projectOf(clone);
    await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
    assert.deepEqual(await workspace.leftOut(), []);
    writeFiles(workspace.directory, {
      // Also when it is the agent that writes such a rule.
      '.gitignore': 'drafts/\nnode_modules/\nvendor/\nvenv/\n*.log\n',
      'b.md': 'b\n',
      'drafts/kept.md': 'changed\n',
      'drafts/naïve plan.MDX': 'lost\n',
      'out.log': 'x\n',
      'site/node_modules/tool/README.md': 'x\n',
      'vendor/bundle/ruby/3.4.0/gems/tool-1.0/README.md': 'x\n',
      'venv/lib/python3.13/site-packages/tool/LICENSE.md': 'x\n',
    });
    const { files } = await workspace.changes();
    assert.deepEqual(
      files.map((file) => file.path),
      ['.gitignore', 'b.md', 'drafts/kept.md'],
    );
    assert.deepEqual(await workspace.leftOut(), ['drafts/naïve plan.MDX']);
  });

  describe('are told', () => {
    let world: JobWorld;
    beforeEach(() => {
      world = new JobWorld();
    });
    afterEach(() => world[Symbol.asyncDispose]());

    it('when nothing else was changed', async () => {
      world.repository.ignored.add('drafts/new.md');
      const job = await world.run('drafts/new.md=one');
      assert.equal(job.status, 'completed');
      assert.equal(job.work.pullRequest, undefined);
      assert.match(
        job.summary ?? '',
        /\n\nThe ignore rules .* newly written here: `drafts\/new\.md`\. Ask for/,
      );
    });

    it('beside the change that there is, the first by name', async () => {
      const names = Array.from({ length: 7 }, (_, index) => `drafts/${index}.md`);
      for (const name of names) world.repository.ignored.add(name);
      world.agent = (files, task) => {
        for (const name of names) files.set(name, 'x');
        return obedient(files, task);
      };
      const job = await world.run('a.md=one');
      assert.notEqual(job.work.pullRequest, undefined);
      assert.match(job.summary ?? '', /here: `drafts\/0\.md`, .*`drafts\/4\.md` and 2 more\./);
    });

    it('by names that show no key and end where they end', async () => {
      // What the world blanks out.
      const key = 'hunter2hunter2';
      const name = `drafts/${key}\n# @team ${'x'.repeat(500)}.md`;
      world.repository.ignored.add(name);
      world.agent = (files, task) => {
        files.set(name, 'x');
        return obedient(files, task);
      };
      const summary = (await world.run('a.md=one')).summary ?? '';
      assert.ok(!summary.includes(key), summary);
      assert.match(summary, /here: `drafts\/\[redacted\] # @\u200Bteam x{10,200}`\. Ask for/);
    });
  });
});

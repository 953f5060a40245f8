import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ReceivedJob } from '../../src/contract/job.ts';
import { withJob } from '../../src/extension/entry-changes.ts';
import { JobDetails } from '../../src/extension/job-details.ts';
import { entryKey, type JobEntry } from '../../src/extension/job-entry.ts';
import { JobModel } from '../../src/extension/job-model.ts';
import { JobsTree, type TreeElement } from '../../src/extension/jobs-tree.ts';
import { Notifications } from '../../src/extension/notifications.ts';
import { PullRequestOpener } from '../../src/extension/pull-request-opener.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aJob, anEntry, link, noon } from '../support/job-entries.ts';

const noStore = { create: async () => {}, update: async () => {}, remove: async () => {} };
const hosted = 'https://api.example.com';
/** Nobody gives up: how long something takes is not what is looked at. */
const unstopped = new AbortController().signal;
const completed = (prLink?: string): ReceivedJob => aJob({ status: 'completed', prLink });

class Memento implements vscode.Memento {
  readonly #values = new Map<string, unknown>();
  keys = (): readonly string[] => [...this.#values.keys()];
  get<T>(key: string, otherwise?: T): T | undefined {
    return (this.#values.get(key) as T | undefined) ?? otherwise;
  }
  async update(key: string, value: unknown): Promise<void> {
    this.#values.set(key, value);
  }
}

/** What the parts need, with the outside replaced: no browser opens, no notification stays. */
class Bench implements Disposable {
  readonly clock = new FakeClock(noon);
  readonly model = new JobModel(noStore, () => this.clock.now());
  readonly opened: string[] = [];
  readonly shown: string[] = [];
  readonly state = new Memento();
  fresh: ReceivedJob | undefined;
  press: string | undefined;
  readonly #claims = new Set<string>();
  readonly #originals = [vscode.window.showInformationMessage, vscode.window.showWarningMessage] as const;

  constructor() {
    const show = async (text: string, ...buttons: vscode.MessageItem[]): Promise<unknown> => {
      this.shown.push(text);
      return buttons.find(({ title }) => title === this.press);
    };
    Object.assign(vscode.window, { showInformationMessage: show, showWarningMessage: show });
  }

  claim = async (key: string, purpose: string): Promise<boolean> => {
    const mark = `${key} ${purpose}`;
    if (this.#claims.has(mark)) return false;
    this.#claims.add(mark);
    return true;
  };

  opener(): PullRequestOpener {
    return new PullRequestOpener({
      model: this.model,
      claim: this.claim,
      now: () => this.clock.now(),
      freshJob: async () => this.fresh ?? assert.fail('The service was asked without need.'),
      openExternal: async (uri) => {
        this.opened.push(uri.toString(true));
        return true;
      },
    });
  }

  notifications(log: vscode.LogOutputChannel): Notifications {
    const { model, claim, clock, state } = this;
    return new Notifications({ model, claim, clock, state, log, opener: this.opener() });
  }

  async end(entry: JobEntry, job: ReceivedJob): Promise<void> {
    await this.model.update(entryKey(entry), (before) =>
      withJob(before, { ...job, id: entry.id }, this.clock.now()),
    );
    // The window of the test has another folder, so the job is left to others first.
    await this.clock.advance(2000);
  }

  [Symbol.dispose](): void {
    const [showInformationMessage, showWarningMessage] = this.#originals;
    Object.assign(vscode.window, { showInformationMessage, showWarningMessage });
  }
}

describe('The list of jobs in VS Code', () => {
  const labels = (tree: JobsTree, parent?: TreeElement): string[] =>
    tree.getChildren(parent).map((element) => {
      const { label } = tree.getTreeItem(element);
      return typeof label === 'string' ? label : (label?.label ?? '');
    });

  it('shows groups and rows, and repaints only the row that changed', async () => {
    using bench = new Bench();
    const { model, clock } = bench;
    const tree = new JobsTree(model, () => clock.now());
    try {
      const fired: (TreeElement | undefined)[] = [];
      tree.onDidChangeTreeData((element) => fired.push(element));
      assert.deepEqual(tree.getChildren(), []);

      await model.add(anEntry({ id: 'a', prompt: 'First' }));
      await model.add(anEntry({ id: 'b', prompt: 'Second', createdAt: noon + 1 }));
      assert.deepEqual(labels(tree), ['Running']);
      const [group] = tree.getChildren();
      assert.deepEqual(labels(tree, group), ['Second', 'First']);

      fired.length = 0;
      const key = entryKey(anEntry({ id: 'a' }));
      const step = (text: string) => (entry: JobEntry) =>
        withJob(entry, aJob({ id: 'a', step: text }), clock.now());
      await model.update(key, step('Checking'));
      assert.deepEqual(
        fired.map((element) => element?.kind === 'job' && element.key),
        [key],
      );
      const [changed] = fired;
      assert.ok(changed);
      assert.equal(tree.getTreeItem(changed).description, 'Checking · now');
      fired.length = 0;
      clock.jump(1000);
      await model.update(key, step('Checking'));
      assert.deepEqual(fired, [], 'a look that found nothing new');

      await model.update(key, (entry) => withJob(entry, completed(link), clock.now()));
      assert.deepEqual(fired, [undefined]);
      assert.deepEqual(labels(tree), ['Running', 'Finished']);
    } finally {
      tree.dispose();
    }
  });

  it('gives every row an id, a label for screen readers and a tooltip that is not trusted', async () => {
    using bench = new Bench();
    const tree = new JobsTree(bench.model, () => bench.clock.now());
    try {
      await bench.model.add(anEntry({ prompt: '[x](command:run)' }));
      const [group] = tree.getChildren();
      const [job] = tree.getChildren(group);
      assert.ok(job);
      assert.equal(tree.getParent(job), group);
      const item = tree.getTreeItem(job);
      assert.equal(item.id, entryKey(anEntry()));
      assert.match(item.accessibilityInformation?.label ?? '', /^Running, .*, just now$/);
      assert.ok(item.tooltip instanceof vscode.MarkdownString);
      assert.equal(item.tooltip.isTrusted, false);
      assert.ok(!item.tooltip.value.includes('](command'));
    } finally {
      tree.dispose();
    }
  });
});

describe('Opening pull requests in VS Code', () => {
  it('opens in the browser and counts the result as looked at', async () => {
    using bench = new Bench();
    const entry = anEntry({ service: hosted });
    await bench.model.add(entry);
    await bench.model.update(entryKey(entry), (before) => withJob(before, completed(link), noon));
    const ended = bench.model.get(entryKey(entry));
    assert.ok(ended);
    await bench.opener().open(ended, unstopped);
    assert.deepEqual(bench.opened, [link]);
    assert.equal(bench.model.counts.unseen, 0);
  });

  it('asks the local service for the link, whose port changes', async () => {
    using bench = new Bench();
    const entry = anEntry({ job: { status: 'completed', prLink: 'http://127.0.0.1:1/reviews/7' } });
    await bench.model.add(entry);
    bench.fresh = completed('http://127.0.0.1:4711/reviews/7');
    await bench.opener().open(entry, unstopped);
    assert.deepEqual(bench.opened, ['http://127.0.0.1:4711/reviews/7']);
  });

  it('opens by itself once, whoever tries', async () => {
    using bench = new Bench();
    const entry = anEntry({ service: hosted, job: { status: 'completed', prLink: link } });
    await bench.model.add(entry);
    const windows = [bench.opener(), bench.opener()];
    const done = await Promise.all(windows.map(async (one) => one.openByItself(entry, unstopped)));
    assert.deepEqual(done.filter(Boolean), [true]);
    assert.equal(bench.opened.length, 1);
    assert.equal(bench.model.get(entryKey(entry))?.openedAt, noon);
  });

  it('refuses a link that is not safe, and says so', async () => {
    using bench = new Bench();
    for (const [prLink, message] of [
      ['file:///etc/passwd', /cannot|not one that can be opened safely/],
      [undefined, /has no pull request/],
    ] as const) {
      const entry = anEntry({ service: hosted, job: { status: 'completed', prLink } });
      await assert.rejects(bench.opener().open(entry, unstopped), { message });
    }
    assert.deepEqual(bench.opened, []);
  });
});

describe('Notifications in VS Code', () => {
  let log: vscode.LogOutputChannel;
  before(() => (log = vscode.window.createOutputChannel('Docs Agent test', { log: true })));
  after(() => log.dispose());

  it('opens the pull request of a job that was seen to complete, and says nothing', async () => {
    using bench = new Bench();
    const notifications = bench.notifications(log);
    const entry = anEntry({ service: hosted });
    await bench.model.add(entry);
    await bench.end(entry, completed(link));
    await bench.end(entry, completed(link));
    assert.deepEqual([bench.opened, bench.shown], [[link], []]);
    notifications.dispose();
  });

  it('says one thing for several, and opens nothing', async () => {
    using bench = new Bench();
    const notifications = bench.notifications(log);
    const entries = ['a', 'b'].map((id) => anEntry({ id, service: hosted }));
    for (const entry of [...entries, anEntry({ id: 'c' })]) await bench.model.add(entry);
    for (const entry of entries) await bench.end(entry, completed(link));
    await bench.clock.advance(10_000);
    assert.deepEqual([bench.opened, bench.shown], [[], ['2 docs jobs have ended: 2 are ready for review.']]);
    notifications.dispose();
  });

  it('says nothing of what ended before this session saw it', async () => {
    using bench = new Bench();
    const notifications = bench.notifications(log);
    const entry = anEntry({ service: hosted, checkedAt: noon - 1 });
    bench.model.load([entry]);
    await bench.end(entry, completed(link));
    assert.deepEqual([bench.opened, bench.shown], [[], []]);
    assert.equal(bench.model.counts.unseen, 1);
    notifications.dispose();
  });

  it('does not show a kind again that was switched off', async () => {
    using bench = new Bench();
    const notifications = bench.notifications(log);
    bench.press = 'Don’t Show Again';
    for (const id of ['a', 'b']) {
      const entry = anEntry({ id, service: hosted, prompt: 'Tidy' });
      await bench.model.add(entry);
      await bench.end(entry, completed());
      await bench.clock.advance(0);
    }
    assert.deepEqual(bench.shown, [
      '“Tidy” is done: there was nothing to change, or the project takes changes without a pull request.',
    ]);
    notifications.dispose();
  });
});

describe('The document of a job in VS Code', () => {
  it('holds what is known, without events when the service does not answer', async () => {
    using bench = new Bench();
    const details = new JobDetails({
      model: bench.model,
      events: async () => assert.fail('The service is away.'),
      now: () => bench.clock.now(),
    });
    try {
      const entry = anEntry({ service: hosted });
      await bench.model.add(entry);
      const uri = vscode.Uri.from({ scheme: 'docs-agent-job', path: '/Job.md', query: entryKey(entry) });
      const text = await details.provideTextDocumentContent(uri);
      assert.match(text, /\*\*Running\*\*/);
      assert.doesNotMatch(text, /What happened/);
      await assert.rejects(details.show('unknown'), { message: /no longer in the list/ });
      await details.show(entryKey(entry));
      await tabNamed('Replace log in with sign in');
    } finally {
      details.dispose();
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    }
  });
});

/** Waits until a tab is open; the test's time limit ends the wait. */
async function tabNamed(name: string): Promise<void> {
  const isOpen = (): boolean =>
    vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label.includes(name)));
  await new Promise<void>((resolve) => {
    const listener = vscode.window.tabGroups.onDidChangeTabs(() => {
      if (!isOpen()) return;
      listener.dispose();
      resolve();
    });
    if (isOpen()) {
      listener.dispose();
      resolve();
    }
  });
}

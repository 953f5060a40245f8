import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Notification, TreeRow, WorkbenchWindow } from './workbench-window.ts';

/** What a writer does with Docs Agent in one window of VS Code, and what they see of it. */
export class JobsWindow {
  readonly window: WorkbenchWindow;
  /** Pages that the editor opened in the browser, in order. */
  readonly opened: Page[] = [];

  constructor(window: WorkbenchWindow) {
    this.window = window;
    window.page.on('popup', (page) => this.opened.push(page));
  }

  /** Shows the list and waits for its rows or its welcome text. */
  async showJobs(): Promise<void> {
    await this.window.runCommand('Docs Agent: Focus on Jobs View');
    await this.window.waitFor('the jobs view', async () => {
      const isThere = (await this.rows()).length > 0 || (await this.window.welcomeText()) !== '';
      return isThere || undefined;
    });
  }

  /** Begins a job and waits for the first question, whichever it is. A window that still opens may drop it. */
  async beginJob(): Promise<void> {
    await this.window.waitFor('the first question of a job', async () => {
      await this.window.runCommand('Docs Agent: Create Job…');
      for (const end = Date.now() + 8000; Date.now() < end;) {
        const said = await this.window.quickInputText(1000).catch(() => '');
        if (said.startsWith('Create Job')) return true;
      }
      return undefined;
    });
  }

  /** Creates a job where nothing but the prompt is asked. */
  async createJob(prompt: string): Promise<void> {
    await this.beginJob();
    await this.answer(/What should change in/, prompt);
  }

  /** Waits for a question that says this, and answers it. */
  async answer(question: RegExp, text: string): Promise<void> {
    await this.question(question);
    await this.window.typeInQuickInput(text);
  }

  /** Waits until the open input says this. Gives the whole of what it says. */
  async question(says: RegExp): Promise<string> {
    return this.window.waitFor(`the question ${String(says)}`, async () => {
      const input = this.window.page.locator('.quick-input-widget:visible');
      const text = (await input.count()) === 0 ? '' : await input.innerText();
      return says.test(text) ? text : undefined;
    });
  }

  async dismiss(): Promise<void> {
    await this.window.page.keyboard.press('Escape');
    await this.window.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  /** Looks at all jobs now, as the view's button does. */
  async checkAgain(): Promise<void> {
    await this.window.runCommand('Docs Agent: Check Again');
  }

  /** The rows of jobs, without those of groups. */
  async rows(): Promise<TreeRow[]> {
    return (await this.window.treeRows()).filter((row) => row.description !== '');
  }

  /** Waits for the row of the job that begins so; `says` is held against what a screen reader says but its title. */
  async row(beginning: string, says: RegExp): Promise<TreeRow> {
    let last: readonly TreeRow[] = [];
    try {
      return await this.window.waitFor(`“${beginning}” to say ${String(says)}`, async () => {
        last = await this.rows();
        return last.find(
          (row) =>
            row.accessibleLabel.includes(`, ${beginning}`) && says.test(withoutTitle(row.accessibleLabel)),
        );
      });
    } catch (error) {
      throw new Error(`${String(error)} The rows: ${JSON.stringify(last)}`, { cause: error });
    }
  }

  /** What is shown when the mouse rests on a row. */
  async tooltip(beginning: string): Promise<string> {
    const { page } = this.window;
    const row = page.locator('.part.sidebar .monaco-list-row', { hasText: beginning }).first();
    const box = page.locator('.workbench-hover:visible').first();
    // A row that is painted anew under the mouse shows nothing until the mouse comes again.
    return this.window.waitFor(`the tooltip of “${beginning}”`, async () => {
      await page.mouse.move(600, 400);
      await row.hover();
      return box.innerText({ timeout: 3000 }).catch(() => undefined);
    });
  }

  /** Runs a command of a row's context menu. */
  async act(beginning: string, command: string): Promise<void> {
    const { page } = this.window;
    const row = page.locator('.part.sidebar .monaco-list-row', { hasText: beginning }).first();
    const item = page.locator('.monaco-menu .action-label', { hasText: command }).first();
    // A row that is painted anew between press and release opens no menu.
    await this.window.waitFor(`the menu of “${beginning}”`, async () => {
      await row.click({ button: 'right' });
      return item.waitFor({ timeout: 2000 }).then(
        () => true,
        () => undefined,
      );
    });
    // A menu takes no click in its first tenth of a second.
    await this.window.waitFor(`the menu to take ${command}`, async () => {
      await item.click({ timeout: 1000 }).catch(() => undefined);
      return (await item.isVisible()) ? undefined : true;
    });
  }

  async forgetAll(): Promise<void> {
    for (const row of await this.rows()) {
      await this.act(row.label, 'Forget Job');
      if (/Running/.test(row.accessibleLabel)) {
        await this.dialog(/Forget “/);
        await this.window.clickDialog('Forget');
      }
      await this.window.waitFor('the row to go', async () =>
        (await this.rows()).some((other) => other.label === row.label) ? undefined : true,
      );
    }
  }

  /** What stands above the rows, when a service has a problem. */
  async message(): Promise<string> {
    return (await this.window.page.locator('.part.sidebar .message:visible').allInnerTexts()).join(' ');
  }

  async messageSays(says: RegExp): Promise<string> {
    return this.window.waitFor(`the view to say ${String(says)}`, async () => {
      const text = await this.message();
      return says.test(text) ? text : undefined;
    });
  }

  async welcomeSays(says: RegExp): Promise<string> {
    return this.window.waitFor(`the welcome text ${String(says)}`, async () => {
      const text = await this.window.welcomeText();
      return says.test(text) ? text : undefined;
    });
  }

  /** Clicks a button of the welcome text. */
  async clickWelcome(button: string): Promise<void> {
    await this.window.page.locator('.part.sidebar .welcome-view .monaco-button', { hasText: button }).click();
  }

  async notification(says: RegExp): Promise<Notification> {
    return this.window.waitFor(`a notification ${String(says)}`, async () =>
      (await this.window.notifications()).find((one) => says.test(one.message)),
    );
  }

  async dialog(says: RegExp): Promise<string> {
    return this.window.waitFor(`a dialogue ${String(says)}`, async () => {
      const text = await this.window.dialog();
      return text !== undefined && says.test(text) ? text : undefined;
    });
  }

  /** The text of our item in the status bar; empty while it is hidden. */
  async status(): Promise<string> {
    const items = await this.window.statusBarItems();
    return items.find((item) => item.id.endsWith('docsAgent.status'))?.text ?? '';
  }

  async statusSays(text: string): Promise<void> {
    await this.window.waitFor(`the status bar to say “${text}”`, async () =>
      (await this.status()) === text ? true : undefined,
    );
  }

  /** The number on the view's icon, 0 without one. */
  async badge(): Promise<number> {
    // By its icon: what the label says besides depends on what else goes on in the view.
    const badge = this.window.page.locator(
      '.activitybar .action-item:has([class*="view-extension-docsAgent"]) .badge-content:visible',
    );
    return Number((await badge.allInnerTexts())[0] ?? 0);
  }

  async badgeSays(count: number): Promise<void> {
    await this.window.waitFor(`the badge ${count}`, async () =>
      (await this.badge()) === count ? true : undefined,
    );
  }

  /** Waits for the next page that opens, counted from those that were asked for before. */
  async openedPage(number: number): Promise<Page> {
    const page = await this.window.waitFor(
      `page number ${number} to open`,
      async () => this.opened[number - 1],
    );
    await page.waitForLoadState('domcontentloaded');
    return page;
  }

  /** Nothing disturbs: no notification, no dialogue, no page. */
  async isQuiet(): Promise<void> {
    assert.deepEqual(await this.window.notifications(), []);
    assert.equal(await this.window.dialog(), undefined);
    assert.deepEqual(
      this.opened.map((page) => page.url()),
      [],
    );
  }
}

/** "state, title, age" without the title; titles of these tests hold no comma. */
function withoutTitle(label: string): string {
  const [state = '', , ...rest] = label.split(', ');
  return [state, ...rest].join(', ');
}

import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { isDone, isSoon, type Notification, type TreeRow, type WorkbenchWindow } from './workbench-window.ts';

/** How long what the window may have missed is waited for, before it is done again. */
const tryMs = 10_000;

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
    let patienceMs = tryMs / 2;
    await this.window.waitFor('the first question of a job', async () => {
      patienceMs *= 2;
      await this.window.runCommand('Docs Agent: Create Job…');
      return (await this.#asks(/^Create Job/, patienceMs)) || undefined;
    });
  }

  /** Whether the open input says this soon. */
  #asks(says: RegExp, limitMs: number): Promise<boolean> {
    return this.window.within(limitMs, async () => says.test((await this.window.quickInputText()).trim()));
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
      const text = await this.window.quickInputText();
      return says.test(text) ? text : undefined;
    });
  }

  /**
   * Begins jobs until the box of the prompt says this, and leaves it open: git answers after the box is there,
   * looks now and then only, and is not waited for long.
   */
  async promptTells(says: RegExp): Promise<void> {
    await this.window.waitFor(`the prompt's box to say ${String(says)}`, async () => {
      await this.beginJob();
      if (await this.#asks(says, tryMs)) return true;
      await this.dismiss();
      return undefined;
    });
  }

  /** Closes the open input, also one that has lost the focus. */
  async dismiss(): Promise<void> {
    const input = this.window.quickInput();
    await this.window.waitFor('the input to close', async () => {
      await isDone(input.press('Escape', { timeout: tryMs }));
      return (await isSoon(input, 'hidden', tryMs)) || undefined;
    });
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
    return this.window.waitFor(`“${beginning}” to say ${String(says)}`, async () =>
      (await this.rows()).find(
        ({ accessibleLabel }) =>
          accessibleLabel.includes(`, ${beginning}`) && says.test(withoutTitle(accessibleLabel)),
      ),
    );
  }

  /** Rests the mouse on a row until what is shown there says this. Gives the whole of it. */
  async tooltip(beginning: string, says = /\S/): Promise<string> {
    const { page } = this.window;
    const row = this.#rowBeginning(beginning);
    const box = page.locator('.workbench-hover:visible').first();
    // A row that is painted anew under the mouse shows nothing until the mouse comes again.
    return this.window.waitFor(`the tooltip of “${beginning}” to say ${String(says)}`, async () => {
      await page.mouse.move(600, 400);
      await isDone(row.hover({ timeout: tryMs }));
      const isTold = await this.window.within(tryMs / 2, async () =>
        says.test((await box.allInnerTexts()).join()),
      );
      return isTold ? (await box.allInnerTexts()).join() : undefined;
    });
  }

  #rowBeginning(beginning: string): Locator {
    return this.window.page.locator('.part.sidebar .monaco-list-row', { hasText: beginning }).first();
  }

  /** Runs a command of a row's context menu. */
  async act(beginning: string, command: string): Promise<void> {
    const row = this.#rowBeginning(beginning);
    const item = this.window.page.locator('.monaco-menu .action-label', { hasText: command }).first();
    await this.window.waitFor(`the menu of “${beginning}” to take “${command}”`, async () => {
      // A row that is painted anew between press and release opens no menu.
      const isOpen =
        (await isDone(row.click({ button: 'right', timeout: tryMs }))) &&
        (await isSoon(item, 'visible', tryMs / 2));
      if (!isOpen) return undefined;
      // A menu takes no click in its first tenth of a second; one that has gone unclicked is opened again.
      while (await isDone(item.click({ timeout: tryMs / 2 })))
        if (await isSoon(item, 'hidden', 1000)) return true;
      await this.window.page.keyboard.press('Escape');
      return undefined;
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

  /** Clicks a button of the welcome text, which then asks something. */
  async clickWelcome(button: string): Promise<void> {
    const own = this.window.page.locator('.part.sidebar .welcome-view .monaco-button', { hasText: button });
    // A text that is painted anew between press and release takes no click.
    await this.window.waitFor(`the button “${button}” to ask something`, async () => {
      await isDone(own.click({ timeout: tryMs }));
      return (await isSoon(this.window.quickInput(), 'visible', tryMs)) || undefined;
    });
  }

  /** Waits for a notification, and keeps it there as long as the mouse is not needed elsewhere. */
  async notification(says: RegExp): Promise<Notification> {
    const found = await this.window.waitFor(`a notification ${String(says)}`, async () =>
      (await this.window.notifications()).find((one) => says.test(one.message)),
    );
    await this.window.keepNotification(found.message);
    return found;
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

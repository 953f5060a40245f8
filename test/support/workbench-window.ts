import type { Locator, Page } from 'playwright-core';

/** Longest wait for something that the editor shows by itself. It only says how long a failure takes. */
const showMs = 90_000;
/** How long something that the editor may have missed is waited for, before it is done again. */
const tryMs = 10_000;
/** The same for a palette, which is soon there or never; doubled at each try. */
const paletteMs = 2_000;

export interface StatusBarItem {
  /** `docs-agent.docs-agent.jobs` and the like. */
  readonly id: string;
  readonly text: string;
  /** What a screen reader says. */
  readonly label: string;
}

export interface TreeRow {
  readonly label: string;
  readonly description: string;
  readonly accessibleLabel: string;
}

export interface Notification {
  readonly message: string;
  readonly buttons: readonly string[];
}

/** As much of the browser's DOM as is read here: the project is compiled without its types. */
interface PageElement {
  readonly id: string;
  readonly textContent: string | null;
  /** Of a text box. */
  readonly value?: string;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/** One window of VS Code, used as a person uses it: by its keyboard, its rows and its buttons. */
export class WorkbenchWindow {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(showMs);
  }

  /** Waits until the workbench is there and its extension host answers. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar .statusbar-item').first().waitFor();
  }

  /** Runs a command by its title in the palette, such as `Docs Agent: Create Job`. */
  async runCommand(title: string): Promise<void> {
    const typed = `>${title}`;
    const row = this.#quickRows()
      .filter({ has: this.page.getByText(title, { exact: true }) })
      .first();
    let patienceMs = paletteMs / 2;
    await this.waitFor(`the command "${title}" in the palette`, async () => {
      patienceMs *= 2;
      await this.page.keyboard.press('F1');
      // A dialogue that still closes takes the key, and what is there already may be another's question.
      if (!(await this.within(patienceMs, () => this.#isTyped((text) => text.startsWith('>')))))
        return undefined;
      await this.quickInput()
        .fill(typed, { timeout: patienceMs })
        .catch(() => undefined);
      // A palette that was opened before the extension was known does not show its commands later.
      if (!(await isSoon(row, 'visible', patienceMs))) {
        await this.page.keyboard.press('Escape');
        return undefined;
      }
      await row.click({ timeout: patienceMs }).catch(() => undefined);
      // A window that is still being laid out can miss a click; a palette that took it is gone or asks on.
      const isTaken = await this.within(
        patienceMs,
        async () => !(await this.#isTyped((text) => text === typed)),
      );
      return isTaken || undefined;
    });
  }

  /** Whether a text box is there whose text is so, right now. */
  async #isTyped(isSo: (text: string) => boolean): Promise<boolean> {
    const texts = await this.quickInput().evaluateAll((boxes: readonly PageElement[]) =>
      boxes.map(({ value }) => value ?? ''),
    );
    return texts.some(isSo);
  }

  /** Opens a file of the workspace by its path, and puts the cursor into it. */
  async openFile(file: string): Promise<void> {
    const name = file.slice(file.lastIndexOf('/') + 1);
    const tab = this.page.locator('.tabs-container .tab.active', { hasText: name });
    await this.waitFor(`the editor of ${file}`, async () => {
      await this.page.keyboard.press('ControlOrMeta+p');
      if (!(await isSoon(this.quickInput(), 'visible', tryMs))) return undefined;
      await this.quickInput().fill(file);
      await this.#quickRow(name)
        .click({ timeout: tryMs })
        .catch(() => undefined);
      const isOpen =
        (await isSoon(tab, 'visible', tryMs)) &&
        (await isSoon(this.page.locator('.editor-instance .monaco-editor.focused'), 'visible', tryMs));
      return isOpen || undefined;
    });
  }

  /** The text box of the palette, a pick or an input box. */
  quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible .quick-input-box input');
  }

  /** Types into the open input box and accepts it. */
  async typeInQuickInput(text: string): Promise<void> {
    await this.quickInput().fill(text);
    await this.quickInput().press('Enter');
  }

  /** What the open input box says above and below its text, right now; empty while there is none. */
  async quickInputText(): Promise<string> {
    return (await this.page.locator('.quick-input-widget:visible').allInnerTexts()).join('\n');
  }

  /** Chooses a row of the open pick by the beginning of its label. */
  async pick(label: string): Promise<void> {
    const row = this.#quickRow(label);
    await this.waitFor(`the row “${label}” to be there and to be taken`, async () => {
      // Rows that are painted anew between press and release take no click.
      const isClicked = await isDone(row.click({ timeout: tryMs }));
      return (isClicked && (await isSoon(row, 'hidden', tryMs))) || undefined;
    });
  }

  async picks(): Promise<string[]> {
    await this.#quickRows().first().waitFor();
    return this.#quickRows().allInnerTexts();
  }

  #quickRow(label: string): Locator {
    // Rows are used again: one without a description still holds, unseen, what the row before it said.
    const name = this.page.locator('.quick-input-list-row:first-child .label-name', { hasText: label });
    return this.#quickRows().filter({ has: name }).first();
  }

  #quickRows(): Locator {
    return this.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
  }

  /** Items of extensions and of the editor, hidden ones left out. */
  async statusBarItems(): Promise<StatusBarItem[]> {
    return this.page.locator('.statusbar-item:visible').evaluateAll((items: readonly PageElement[]) =>
      items.map((item) => ({
        id: item.id,
        text: (item.textContent ?? '').trim(),
        label:
          item.querySelector('[aria-label]')?.getAttribute('aria-label') ??
          item.getAttribute('aria-label') ??
          '',
      })),
    );
  }

  /** Waits, from now on, for a text that the status bar may show for a moment only: the page itself looks. */
  async statusBarTells(text: string): Promise<void> {
    const shown = `document.querySelector('.part.statusbar').textContent.includes(${JSON.stringify(text)})`;
    await this.page.waitForFunction(shown);
  }

  /** The rows of the tree that the side bar shows. */
  async treeRows(): Promise<TreeRow[]> {
    return this.page
      .locator('.part.sidebar .monaco-list-row:visible')
      .evaluateAll((rows: readonly PageElement[]) =>
        rows.map((row) => ({
          label: (row.querySelector('.label-name') ?? row).textContent?.trim() ?? '',
          description: row.querySelector('.label-description')?.textContent?.trim() ?? '',
          accessibleLabel: row.getAttribute('aria-label') ?? '',
        })),
      );
  }

  /** What the side bar says in place of rows. */
  async welcomeText(): Promise<string> {
    return (await this.page.locator('.part.sidebar .welcome-view:visible').allInnerTexts()).join('\n').trim();
  }

  async notifications(): Promise<Notification[]> {
    return this.page
      .locator('.notification-toast:visible .notification-list-item')
      .evaluateAll((items: readonly PageElement[]) =>
        items.map((item) => ({
          message: item.querySelector('.notification-list-item-message')?.textContent?.trim() ?? '',
          buttons: [...item.querySelectorAll('.notification-list-item-buttons-container .monaco-button')].map(
            (button) => button.textContent?.trim() ?? '',
          ),
        })),
      );
  }

  /** Rests the mouse on a notification: VS Code hides warnings and information after some seconds otherwise. */
  async keepNotification(message: string): Promise<void> {
    const toast = this.page.locator('.notification-toast:visible', { hasText: message }).first();
    await isDone(toast.hover({ timeout: tryMs / 4 }));
  }

  /** Presses a button of a notification, which goes with it. */
  async clickNotification(button: string): Promise<void> {
    const buttons = this.page.locator('.notification-toast:visible .monaco-button', { hasText: button });
    await this.waitFor(`the button “${button}” of a notification to be there and to be taken`, async () => {
      const before = await buttons.count();
      if (before === 0 || !(await isDone(buttons.first().click({ timeout: tryMs })))) return undefined;
      return (await this.within(tryMs, async () => (await buttons.count()) < before)) || undefined;
    });
  }

  /** Text of the modal dialogue that is open, or undefined. */
  async dialog(): Promise<string | undefined> {
    return (await this.page.locator('.monaco-dialog-box:visible').allInnerTexts())[0];
  }

  /** Presses a button of the open dialogue and waits until that has gone. */
  async clickDialog(button: string): Promise<void> {
    const box = this.page.locator('.monaco-dialog-box:visible');
    const own = box.locator('.monaco-button', { hasText: button }).first();
    await this.waitFor(`the button “${button}” of a dialogue to be there and to be taken`, async () => {
      const isClicked = await isDone(own.click({ timeout: tryMs }));
      return (isClicked && (await isSoon(box, 'hidden', tryMs))) || undefined;
    });
  }

  /** The browser page that the editor opens while `action` runs or after it, such as a pull request. */
  async openedPage(action: () => Promise<void>, limitMs = 60_000): Promise<Page> {
    const opened = this.page.waitForEvent('popup', { timeout: limitMs });
    const [page] = await Promise.all([opened, action()]);
    await page.waitForLoadState();
    return page;
  }

  /** Looks again and again until `probe` answers something, and says what was missing when it never does. */
  async waitFor<T>(what: string, probe: () => Promise<T | undefined>, limitMs = showMs): Promise<T> {
    for (const end = Date.now() + limitMs; Date.now() < end; await this.page.waitForTimeout(100)) {
      const found = await probe();
      if (found !== undefined) return found;
    }
    throw new Error(
      `Waited ${limitMs / 1000} s in vain for ${what}. The window shows ${await this.#shown()}`,
    );
  }

  /** What there is to read, for whoever has to find out why something did not come. */
  async #shown(): Promise<string> {
    const [input, dialog, notifications, rows, welcome] = await Promise.all([
      this.quickInputText(),
      this.dialog(),
      this.notifications(),
      this.treeRows(),
      this.welcomeText(),
    ]);
    return JSON.stringify({ input, dialog, notifications, rows, welcome });
  }

  /** Whether it comes true within so many milliseconds. */
  async within(limitMs: number, isSo: () => Promise<boolean>): Promise<boolean> {
    for (const end = Date.now() + limitMs; ; await this.page.waitForTimeout(50)) {
      if (await isSo()) return true;
      if (Date.now() >= end) return false;
    }
  }

  async screenshot(file: string): Promise<void> {
    await this.page.screenshot({ path: file });
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  /** Does what a machine without a keyring does between two starts: all secrets are gone, without an error. */
  async forgetSecrets(): Promise<void> {
    await this.page.evaluate(`localStorage.removeItem('secrets.provider')`);
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}

/** Whether something comes, or goes, within so many milliseconds. */
export const isSoon = (what: Locator, state: 'visible' | 'hidden', limitMs: number): Promise<boolean> =>
  isDone(what.waitFor({ state, timeout: limitMs }));

/** For what may fail and is then done again. */
export const isDone = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

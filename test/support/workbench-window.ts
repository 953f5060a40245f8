import type { Locator, Page } from 'playwright-core';

/** Longest wait for something that the editor shows by itself; a busy machine takes its time. */
const showMs = 30_000;

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
    const rows = this.#quickRows();
    // A palette that was opened before the extension was known does not show its commands later.
    await this.waitFor(`the command "${title}" in the palette`, async () => {
      await this.page.keyboard.press('F1');
      await this.quickInput().waitFor();
      await this.quickInput().fill(`>${title}`);
      const found = rows.filter({ has: this.page.getByText(title, { exact: true }) }).first();
      const shown = await found.waitFor({ timeout: 2000 }).then(
        () => true,
        () => false,
      );
      if (!shown) {
        await this.page.keyboard.press('Escape');
        return undefined;
      }
      await found.click();
      // A window that is still being laid out can miss a click; a palette that took it is gone or asks on.
      const end = Date.now() + 2000;
      while (Date.now() < end) {
        const value = await this.quickInput()
          .inputValue({ timeout: 100 })
          .catch(() => '');
        if (value !== `>${title}`) return true;
      }
      return undefined;
    });
  }

  /** Opens a file of the workspace by its path. */
  async openFile(file: string): Promise<void> {
    await this.page.keyboard.press('ControlOrMeta+p');
    await this.quickInput().fill(file);
    await this.pick(file.slice(file.lastIndexOf('/') + 1));
    await this.page.locator('.editor-instance .view-lines').first().waitFor();
  }

  /** The text box of the palette, a pick or an input box. */
  quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible .quick-input-box input');
  }

  /** Types into the open input box and accepts it. */
  async typeInQuickInput(text: string): Promise<void> {
    await this.quickInput().fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** What the open input box says above and below its text. */
  async quickInputText(withinMs = showMs): Promise<string> {
    return this.page.locator('.quick-input-widget:visible').innerText({ timeout: withinMs });
  }

  /** Chooses a row of the open pick by the beginning of its label. */
  async pick(label: string): Promise<void> {
    // Rows are used again: one without a description still holds, unseen, what the row before it said.
    const name = this.page.locator('.quick-input-list-row:first-child .label-name', { hasText: label });
    await this.#quickRows().filter({ has: name }).first().click();
  }

  async picks(): Promise<string[]> {
    await this.#quickRows().first().waitFor();
    return this.#quickRows().allInnerTexts();
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

  async clickNotification(button: string): Promise<void> {
    await this.page.locator('.notification-toast .monaco-button', { hasText: button }).first().click();
  }

  /** Text of the modal dialogue that is open, or undefined. */
  async dialog(): Promise<string | undefined> {
    const box = this.page.locator('.monaco-dialog-box:visible');
    return (await box.count()) === 0 ? undefined : box.first().innerText();
  }

  async clickDialog(button: string): Promise<void> {
    await this.page.locator('.monaco-dialog-box .monaco-button', { hasText: button }).first().click();
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
    throw new Error(`Waited ${limitMs / 1000} s in vain for ${what}.`);
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

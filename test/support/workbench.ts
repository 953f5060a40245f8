import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from './vscode-host/browser.ts';
import { editorFolder, installEditor } from './vscode-host/install.ts';
import { stopLocalService } from './vscode-host/local-service.ts';
import { editorReleases, type ReleaseName } from './vscode-host/release.ts';
import { EditorServer } from './vscode-host/server.ts';
import { writeUserSettings } from './vscode-host/settings.ts';
import { openWindow } from './vscode-host/window.ts';
import { WorkbenchWindow } from './workbench-window.ts';

const projectFolder = path.resolve(import.meta.dirname, '../..');

export interface WorkbenchOptions {
  /** Folder or `.code-workspace` file that each window opens; none is an empty window. */
  readonly folder?: string;
  /** The extension under test; this project unless said otherwise. */
  readonly extension?: string;
  readonly release?: ReleaseName;
  /** Restricted Mode, as a person meets it in a folder that is not trusted yet. */
  readonly restricted?: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: NodeJS.ProcessEnv;
  /** Pixels of the window. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Takes what the extension host prints. */
  readonly onLog?: (text: string) => void;
}

/**
 * A VS Code of its own for one end-to-end test: its own settings, secrets and state, its own folder for
 * the local service. Disposing ends everything that it and the extension started.
 */
export class Workbench implements AsyncDisposable {
  /** Where the local service of this editor keeps its files. */
  readonly home: string;
  readonly #options: WorkbenchOptions;
  readonly #temporary: string;
  readonly #windows: WorkbenchWindow[] = [];
  readonly #browser: Browser;
  #server: EditorServer;

  private constructor(options: WorkbenchOptions, temporary: string, browser: Browser, server: EditorServer) {
    this.#options = options;
    this.#temporary = temporary;
    this.#browser = browser;
    this.#server = server;
    this.home = path.join(temporary, 'home');
  }

  static async start(options: WorkbenchOptions): Promise<Workbench> {
    // The real path: macOS has a link as its temporary folder, and VS Code answers with real ones.
    const temporary = await mkdtemp(path.join(await realpath(os.tmpdir()), 'docs-agent-workbench-'));
    try {
      await writeUserSettings(path.join(temporary, 'editor'), options.settings);
      const server = await startServer(options, temporary);
      try {
        const browser = await launchBrowser(editorFolder(projectFolder));
        return new Workbench(options, temporary, browser, server);
      } catch (error) {
        await server[Symbol.asyncDispose]();
        throw error;
      }
    } catch (error) {
      await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
      throw error;
    }
  }

  /** One more window of the same editor, with browser storage of its own as on another day. */
  async newWindow(): Promise<WorkbenchWindow> {
    const viewport = this.#options.size ?? { width: 1280, height: 800 };
    const context = await this.#browser.newContext({ viewport });
    const { folder, onLog } = this.#options;
    const { page } = await openWindow(this.#server, context, {
      extensionDevelopmentPath: this.#options.extension ?? projectFolder,
      ...(folder === undefined ? {} : { open: folder }),
      ...(onLog === undefined ? {} : { onLog }),
    });
    const window = new WorkbenchWindow(page, context);
    this.#windows.push(window);
    await window.ready();
    return window;
  }

  /** Ends the editor and starts it again with the same state; windows are opened anew by the caller. */
  async restart(): Promise<void> {
    await this.#closeWindows();
    await this.#server[Symbol.asyncDispose]();
    this.#server = await startServer(this.#options, this.#temporary);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closeWindows();
    await this.#browser.close();
    await this.#server[Symbol.asyncDispose]();
    await stopLocalService(this.home);
    await rm(this.#temporary, { recursive: true, force: true, maxRetries: 5 });
  }

  async #closeWindows(): Promise<void> {
    for (const window of this.#windows.splice(0)) await window.close();
  }
}

async function startServer(options: WorkbenchOptions, temporary: string): Promise<EditorServer> {
  const editor = await installEditor(
    editorReleases[options.release ?? 'current'],
    editorFolder(projectFolder),
  );
  const dataFolder = path.join(temporary, 'editor');
  await mkdir(dataFolder, { recursive: true });
  return EditorServer.start({
    editor,
    dataFolder,
    home: path.join(temporary, 'home'),
    trustEverything: options.restricted !== true,
    ...(options.env === undefined ? {} : { env: options.env }),
  });
}

/** A workbench with its first window. Dispose the workbench, the window goes with it. */
export async function openWorkbench(
  options: WorkbenchOptions,
): Promise<{ workbench: Workbench; window: WorkbenchWindow }> {
  const workbench = await Workbench.start(options);
  try {
    return { workbench, window: await workbench.newWindow() };
  } catch (error) {
    await workbench[Symbol.asyncDispose]();
    throw error;
  }
}

import { mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { launchBrowser } from './vscode-host/browser.ts';
import { editorFolder, installEditor, type InstalledEditor } from './vscode-host/install.ts';
import { stopLocalService } from './vscode-host/local-service.ts';
import { editorReleases, type ReleaseName } from './vscode-host/release.ts';
import { EditorServer, installExtension } from './vscode-host/server.ts';
import { temporaryFilesIn } from './vscode-host/temporary-files.ts';
import { writeUserSettings } from './vscode-host/settings.ts';
import { openWindow } from './vscode-host/window.ts';
import { builtPackage } from './vsix.ts';
import { WorkbenchWindow } from './workbench-window.ts';

/** Time for what one test does in an editor, or for its start. It only says how long a failure takes. */
export const editorTestMs = 300_000;
/** Milliseconds for one step in a browser, such as loading a window. */
const stepMs = 90_000;

const projectFolder = path.resolve(import.meta.dirname, '../..');

export interface WorkbenchOptions {
  /** Folder or `.code-workspace` file that each window opens; none is an empty window. */
  readonly folder?: string;
  /** The packaged extension that is installed; what was built last unless said otherwise. */
  readonly extension?: string;
  readonly release?: ReleaseName;
  /** Restricted Mode, as a person meets it in a folder that is not trusted yet. */
  readonly restricted?: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: NodeJS.ProcessEnv;
  /** Pixels of the window. */
  readonly size?: { readonly width: number; readonly height: number };
}

/**
 * A VS Code of its own for one end-to-end test: its own settings, secrets and state, its own folder for
 * the local service. Disposing ends everything that it and the extension started.
 */
export class Workbench implements AsyncDisposable {
  /** Where the local service of this editor keeps its files. */
  readonly home: string;
  /** Where the extension keeps what outlives its windows. */
  readonly globalStorage: string;
  readonly #options: WorkbenchOptions;
  readonly #temporary: string;
  readonly #windows: WorkbenchWindow[] = [];
  readonly #context: BrowserContext;
  readonly #server: EditorServer;

  private constructor(
    options: WorkbenchOptions,
    temporary: string,
    context: BrowserContext,
    server: EditorServer,
  ) {
    this.#options = options;
    this.#temporary = temporary;
    this.#context = context;
    this.#server = server;
    this.home = path.join(temporary, 'home');
    this.globalStorage = path.join(temporary, 'editor/data/User/globalStorage/docs-agent.docs-agent');
  }

  static async start(options: WorkbenchOptions): Promise<Workbench> {
    // The real path: macOS has a link as its temporary folder, and VS Code answers with real ones.
    const temporary = await mkdtemp(path.join(await realpath(os.tmpdir()), 'docs-agent-workbench-'));
    try {
      await writeUserSettings(path.join(temporary, 'editor'), options.settings);
      const editor = await editorOf(options);
      await installExtension(
        editor,
        path.join(temporary, 'editor'),
        options.extension ?? (await builtPackage()),
      );
      const server = await startServer(options, temporary);
      try {
        const browser = await launchBrowser(editorFolder(projectFolder), await temporaryFilesIn(temporary));
        const viewport = options.size ?? { width: 1280, height: 800 };
        const context = await browser.newContext({ viewport });
        context.setDefaultTimeout(stepMs);
        return new Workbench(options, temporary, context, server);
      } catch (error) {
        await server[Symbol.asyncDispose]();
        throw error;
      }
    } catch (error) {
      await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
      throw error;
    }
  }

  /**
   * One more window of the same editor. It shares the browser's storage, where secrets and global state are,
   * with the others; a secret that another window saves is seen by windows that are loaded afterwards.
   * `open` is another folder or workspace file than the workbench's own; `nothing` is an empty window.
   */
  async newWindow(open: string | undefined = this.#options.folder): Promise<WorkbenchWindow> {
    const what = open === 'nothing' ? undefined : open;
    const { page } = await openWindow(this.#server, this.#context, { open: what });
    const window = new WorkbenchWindow(page);
    this.#windows.push(window);
    await window.ready();
    return window;
  }

  /** Ends the editor and starts it again with the same state; windows are opened anew by the caller. */
  async restart(whileClosed: () => void = () => undefined): Promise<void> {
    await this.#closeWindows();
    await this.#server.restart(whileClosed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closeWindows();
    await this.#context.browser()?.close();
    await this.#server[Symbol.asyncDispose]();
    await stopLocalService(this.home);
    await rm(this.#temporary, { recursive: true, force: true, maxRetries: 20 });
  }

  async #closeWindows(): Promise<void> {
    for (const window of this.#windows.splice(0)) await window.close();
  }
}

const editorOf = (options: WorkbenchOptions): Promise<InstalledEditor> =>
  installEditor(editorReleases[options.release ?? 'current'], editorFolder(projectFolder));

async function startServer(options: WorkbenchOptions, temporary: string): Promise<EditorServer> {
  const env = { ...(await temporaryFilesIn(temporary)), ...options.env };
  return EditorServer.start({
    editor: await editorOf(options),
    dataFolder: path.join(temporary, 'editor'),
    home: path.join(temporary, 'home'),
    trustEverything: options.restricted !== true,
    env,
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

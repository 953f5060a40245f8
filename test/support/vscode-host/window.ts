import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { consoleText } from './log-lines.ts';
import type { EditorServer } from './server.ts';

/** Milliseconds for loading a window on a machine that may be busy. */
const loadMs = 180_000;

export interface WindowOptions {
  /** Folder or `.code-workspace` file to open; none is an empty window. */
  readonly open?: string | undefined;
  readonly extensionDevelopmentPath?: string | undefined;
  /** With it the window runs this test entry and reports its exit code. */
  readonly extensionTestsPath?: string | undefined;
  /** Takes what the extension host and the tests print. */
  readonly onLog?: (text: string) => void;
}

export interface EditorWindow {
  readonly page: Page;
  /** Settles when the test entry has run; never without one. */
  readonly exitCode: Promise<number>;
}

/** Opens a VS Code window in a browser context and loads it; its workbench may still be starting. */
export async function openWindow(
  server: EditorServer,
  context: BrowserContext,
  options: WindowOptions,
): Promise<EditorWindow> {
  const page = await context.newPage();
  page.setDefaultNavigationTimeout(loadMs);
  const { promise: exitCode, resolve } = Promise.withResolvers<number>();
  await page.exposeFunction('codeAutomationLog', (_type: string, args: unknown[]) => {
    const text = consoleText(args);
    if (text !== undefined) options.onLog?.(text);
  });
  await page.exposeFunction('codeAutomationExit', (code: number) => resolve(code));
  await page.goto(windowUrl(server.origin, options));
  return { page, exitCode };
}

/** The address of a window, as one would type it into a browser. */
export function windowUrl(origin: string, options: WindowOptions): string {
  const url = new URL(origin);
  if (options.open !== undefined) {
    const kind = options.open.endsWith('.code-workspace') ? 'workspace' : 'folder';
    url.searchParams.set(kind, uriPath(options.open));
  } else {
    url.searchParams.set('ew', 'true');
  }
  const remote = (file: string): string => `vscode-remote://${url.host}${uriPath(file)}`;
  const payload: [string, string][] = [];
  if (options.extensionDevelopmentPath !== undefined) {
    payload.push(['extensionDevelopmentPath', remote(options.extensionDevelopmentPath)]);
  }
  if (options.extensionTestsPath !== undefined) {
    payload.push(['extensionTestsPath', remote(options.extensionTestsPath)]);
  }
  if (payload.length > 0) url.searchParams.set('payload', JSON.stringify(payload));
  return url.href;
}

/** `/c:/docs` on Windows, `/home/me/docs` elsewhere. */
const uriPath = (file: string): string => decodeURIComponent(pathToFileURL(path.resolve(file)).pathname);

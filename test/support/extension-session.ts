import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { activate } from '../../src/extension.ts';
import type { JobEntry } from '../../src/extension/job-entry.ts';
import { Ledger } from '../../src/extension/ledger.ts';

/** How long something that was under way may take to end, on a busy machine too. Milliseconds. */
const letGoMs = 60_000;

/** What VS Code gives the extension in the profile `entry`, whose program only hands it out. */
export async function extensionContext(): Promise<vscode.ExtensionContext> {
  const extension = vscode.extensions.getExtension<{ context: vscode.ExtensionContext }>(
    'docs-agent.docs-agent',
  );
  const { context } = (await extension?.activate()) ?? assert.fail('VS Code did not find the extension');
  return context;
}

/** The extension's own program between its start and its end, with what it asks of the outside noted. */
export class Session implements AsyncDisposable {
  readonly secretsRead: string[] = [];
  readonly requests: string[] = [];
  /** Timers that this file's bundle, which holds the program, has set and that are still to come, with where. */
  readonly timers = new Map<unknown, string>();
  readonly #subscriptions: { dispose(): unknown }[] = [];
  readonly #originals = { ...timerFunctions(), fetch: globalThis.fetch };
  readonly ready: Promise<void>;

  constructor(context: vscode.ExtensionContext) {
    this.#note();
    const secrets: vscode.SecretStorage = {
      keys: () => context.secrets.keys(),
      get: async (name) => {
        this.secretsRead.push(name);
        return context.secrets.get(name);
      },
      store: (name, value) => context.secrets.store(name, value),
      delete: (name) => context.secrets.delete(name),
      onDidChange: context.secrets.onDidChange,
    };
    const replaced = new Map<string | symbol, unknown>([
      ['secrets', secrets],
      ['subscriptions', this.#subscriptions],
    ]);
    this.ready = activate(
      // Around nothing: the context itself is frozen, and a proxy must tell the truth about what is.
      new Proxy({} as vscode.ExtensionContext, {
        get: (_, name): unknown => replaced.get(name) ?? Reflect.get(context, name),
      }),
    );
  }

  #note(): void {
    const { fetch, setTimeout: once, setInterval: again, clearTimeout: clear } = this.#originals;
    // Below the message: this function, `noted`, the replaced function, and then who called it.
    const isOurs = (): boolean => new Error('who').stack?.split('\n')[4]?.includes(__filename) ?? false;
    const noted = (handle: unknown): unknown => {
      if (isOurs()) this.timers.set(handle, new Error('who').stack ?? '');
      return handle;
    };
    const dropped = (handle: unknown): void => {
      this.timers.delete(handle);
      clear(handle as NodeJS.Timeout);
    };
    Object.assign(globalThis, {
      setTimeout: (work: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
        const handle = once(() => {
          this.timers.delete(handle);
          work(...args);
        }, ms);
        return noted(handle);
      },
      setInterval: (work: () => void, ms?: number) => noted(again(work, ms)),
      clearTimeout: dropped,
      clearInterval: dropped,
      fetch: async (...args: Parameters<typeof fetch>) => {
        this.requests.push(new Request(...args).url);
        return fetch(...args);
      },
    });
  }

  /** As VS Code ends an extension: what was created last goes first. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.ready;
    for (const thing of this.#subscriptions.toReversed()) await thing.dispose();
    // What was under way, a look for pages or a request, lets go of its timer when it ends; what is left stays.
    const end = performance.now() + letGoMs;
    while (this.timers.size > 0 && performance.now() < end)
      await new Promise((resolve) => this.#originals.setTimeout(resolve, 10));
    Object.assign(globalThis, this.#originals);
  }
}

const timerFunctions = (): Pick<
  typeof globalThis,
  'setTimeout' | 'setInterval' | 'clearTimeout' | 'clearInterval'
> => {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  return { setTimeout, setInterval, clearTimeout, clearInterval };
};

/** What the ledger says of its only job once that has ended. */
export function endOfJob(folder: string): Promise<JobEntry> {
  return new Promise((resolve) => {
    const ledger = new Ledger({ folder, now: Date.now, onTrouble: () => undefined });
    ledger.watch((changes) => {
      const [change] = changes;
      if (change?.kind !== 'stored' || change.entry.endedAt === undefined) return;
      ledger.dispose();
      resolve(change.entry);
    });
  });
}

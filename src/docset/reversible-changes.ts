import { writeDocsetPage } from './docset.ts';
import type { Docset } from './docset.ts';
import { moveFile } from './move-file.ts';

/** A file's old text and its new one. */
export interface Rewritten {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly byteOrderMark: boolean;
}

/** Changes of several files that belong together: when one cannot be made, the others can be taken back. */
export class ReversibleChanges {
  readonly #docset: Docset;
  readonly #undo: (() => Promise<unknown>)[] = [];

  constructor(docset: Docset) {
    this.#docset = docset;
  }

  async write({ path, before, after, byteOrderMark }: Rewritten): Promise<void> {
    await writeDocsetPage(this.#docset, path, after, byteOrderMark);
    this.#undo.push(() => writeDocsetPage(this.#docset, path, before, byteOrderMark));
  }

  /** @returns undefined when done, else why not, as a sentence */
  async move(from: string, to: string): Promise<string | undefined> {
    const why = await moveFile(this.#docset, from, to);
    if (why === undefined) this.#undo.push(() => moveFile(this.#docset, to, from));
    return why;
  }

  /** Makes all undone, the last first. What cannot be is left: the error that led here says more. */
  async takeBack(): Promise<void> {
    for (let undo = this.#undo.pop(); undo !== undefined; undo = this.#undo.pop())
      await undo().catch(() => undefined);
  }
}

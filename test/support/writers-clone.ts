import { appendFileSync, cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { HostedProject } from './code-host.ts';
import {
  git,
  repositoryWithoutRemote,
  someDocs,
  type TemporaryFolder,
  temporaryFolder,
} from './repositories.ts';

/**
 * A writer's clone and the repository that it was cloned from. Made by git once and copied from then on: the
 * tests of code hosts need some hundred of them.
 */
export class ClonePattern implements Disposable {
  readonly #folder: TemporaryFolder = temporaryFolder();
  readonly #clone: string;
  readonly #head: string;

  constructor() {
    this.#clone = repositoryWithoutRemote(this.#folder.path, someDocs);
    this.#head = git(this.#clone, 'rev-parse', 'HEAD');
  }

  /** A clone below this folder, its commit at its host too. */
  copy(parent: string, { gitDir, url }: HostedProject): string {
    const clone = path.join(parent, 'alone');
    cpSync(this.#clone, clone, { recursive: true });
    cpSync(path.join(clone, '.git', 'objects'), path.join(gitDir, 'objects'), { recursive: true });
    writeFileSync(path.join(gitDir, 'refs', 'heads', 'main'), `${this.#head}\n`);
    const remote = `[remote "origin"]\n\turl = "${url}"\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
    appendFileSync(path.join(clone, '.git', 'config'), remote);
    return clone;
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

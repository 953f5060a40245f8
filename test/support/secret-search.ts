import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A secret that nobody may find, whatever it is wrapped in. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** As it is, and as base64 shows it inside a longer text, at each of the three places that it can have there. */
function forms({ value }: Secret): string[] {
  const inside = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    // Only whole groups of three bytes that are all the secret's own.
    const from = before === 0 ? 0 : 4;
    return bytes.toString('base64').slice(from, Math.floor(bytes.length / 3) * 4);
  });
  return [value, ...inside];
}

/** Looks for secrets in texts, files and git's objects. */
export class SecretSearch {
  readonly #forms: readonly { readonly name: string; readonly forms: readonly string[] }[];

  constructor(secrets: readonly Secret[]) {
    this.#forms = secrets.map((secret) => ({ name: secret.name, forms: forms(secret) }));
  }

  /** Names of the secrets in a text. */
  in(text: string): string[] {
    return this.#forms.filter((one) => one.forms.some((form) => text.includes(form))).map(({ name }) => name);
  }

  /** Where secrets are below a folder, byte for byte; `.git` folders and bare repositories also object by object. */
  below(folder: string): string[] {
    const found: string[] = [];
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (entry.isFile()) {
        const texts = [file, readFileSync(file, 'latin1')];
        found.push(...this.in(texts.join('\n')).map((name) => `${name} in ${file}`));
      }
      if (entry.isDirectory() && entry.name === 'objects') {
        const gitDir = path.dirname(file);
        found.push(...this.in(allObjects(gitDir)).map((name) => `${name} in an object of ${gitDir}`));
      }
    }
    return found;
  }
}

/** Also those that nothing refers to. */
function allObjects(gitDir: string): string {
  const args = [`--git-dir=${gitDir}`, 'cat-file', '--batch-all-objects', '--batch'];
  return execFileSync('git', args, {
    encoding: 'latin1',
    maxBuffer: 512 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

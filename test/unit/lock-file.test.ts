import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

describe('The lock file', () => {
  let packages: Readonly<Record<string, LockedPackage>>;

  before(async () => {
    const text = await readFile(path.join(root, 'package-lock.json'), 'utf8');
    ({ packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> });
  });

  /** Where Node would find a package from another one. */
  const found = (from: string, name: string): LockedPackage | undefined => {
    for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
      const place = packages[`${base === '' ? '' : `${base}/`}node_modules/${name}`];
      if (place !== undefined || base === '') return place;
    }
  };

  // npm drops what it cannot reach when it writes the file, and `npm ci` then refuses the file everywhere.
  it('has the programs of every platform, not only of the one it was written on', () => {
    const missing = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => found(from, name) === undefined),
    );
    assert.deepEqual(missing, []);
  });

  it('names no place to download from: every machine asks its own registry', () => {
    assert.equal(/"resolved": "https?:/.test(JSON.stringify(packages, undefined, 1)), false);
  });
});

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { plantedLinks } from '../demo/expected-change.ts';
import { git, makeSample } from '../demo/sample.ts';

const headingAnchors = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(/\s/g, '-'),
    ),
  );

describe('The sample docs project', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'docs-agent-sample-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is a clean checkout whose branch stands at its bare origin', async () => {
    const { checkout, origin, isNew } = await makeSample(folder);
    assert.equal(isNew, true);
    assert.equal(await git(checkout, 'status', '--porcelain'), '');
    assert.equal(await git(origin, 'rev-parse', 'main'), await git(checkout, 'rev-parse', 'HEAD'));
    assert.equal(await git(origin, 'rev-parse', '--is-bare-repository'), 'true');
  });

  it('has every page of its navigation, and every page in it', async () => {
    const { checkout } = await makeSample(folder);
    const navigation = await readFile(path.join(checkout, 'mkdocs.yml'), 'utf8');
    const named = [...navigation.matchAll(/([\w/-]+\.md)$/gm)].map((found) => `docs/${found[1]}`);
    const pages = (await git(checkout, 'ls-files', 'docs')).split('\n');
    assert.deepEqual(named.sort(), pages.sort());
    assert.ok(pages.length >= 20 && pages.length <= 40);
  });

  it('has exactly the broken links that were planted', async () => {
    const { checkout } = await makeSample(folder);
    const pages = (await git(checkout, 'ls-files', 'docs')).split('\n');
    const texts = new Map(
      await Promise.all(
        pages.map(async (page) => [page, await readFile(path.join(checkout, page), 'utf8')] as const),
      ),
    );
    const broken: string[] = [];
    for (const [page, text] of texts) {
      for (const [, target = '', anchor] of text.matchAll(/\]\(([^)#\s]+\.md)(?:#([^)]+))?\)/g)) {
        const linked = texts.get(path.posix.join(path.posix.dirname(page), target));
        const found = linked !== undefined && (anchor === undefined || headingAnchors(linked).has(anchor));
        if (!found) broken.push(`${page} (${target}${anchor === undefined ? '' : `#${anchor}`})`);
      }
    }
    const planted = plantedLinks.map(([page, link]) => [page, link] as const);
    const missing = planted.filter(
      ([page, link]) => !broken.some((one) => one.startsWith(page) && one.endsWith(link)),
    );
    assert.deepEqual(missing, []);
    assert.equal(broken.length, planted.length, broken.join('\n'));
  });

  it('is left alone when it is there, changes and all', async () => {
    const { checkout } = await makeSample(folder);
    await writeFile(path.join(checkout, 'docs', 'index.md'), '# Mine\n');
    const again = await makeSample(folder);
    assert.equal(again.isNew, false);
    assert.equal(await readFile(path.join(checkout, 'docs', 'index.md'), 'utf8'), '# Mine\n');
  });
});

import assert from 'node:assert/strict';
import { branchName, flatBranchName, namesInTheWay } from '../../src/service/branch-name.ts';
import { newJobId } from '../../src/service/job-id.ts';

const parts = { prefix: 'docs-agent/', title: 'Fix broken links', jobId: 'job_01k9aaaabbbbcccc', round: 1 };

/** The rules of git-check-ref-format, and the length that we promise. */
function assertBranch(name: string): void {
  assert.doesNotMatch(name, /[^A-Za-z0-9._/-]|\.\.|\/\/|\/\.|^[./-]|[./]$|\.lock(?:\/|$)|@\{/, name);
  assert.ok(name.length <= 100, `${name.length}`);
}

describe('the branch of a job', () => {
  it('is told by its title and its id', () => {
    assert.equal(branchName(parts), 'docs-agent/fix-broken-links-aaaabbbbcccc');
  });

  it('is the same for the same job, and another for each round', () => {
    assert.equal(branchName(parts), branchName({ ...parts }));
    assert.equal(branchName({ ...parts, round: 2 }), `${branchName(parts)}-2`);
  });

  it('is another one for each job with the same title', () => {
    const names = Array.from({ length: 500 }, () => branchName({ ...parts, jobId: newJobId(1) }));
    assert.equal(new Set(names).size, names.length);
  });

  it('keeps whole words of a long title', () => {
    const name = branchName({
      ...parts,
      title: 'Document the new retry option everywhere in the manual, please',
    });
    assert.equal(name, 'docs-agent/document-the-new-retry-option-everywhere-aaaabbbbcccc');
  });

  it('writes accents plainly, and something where no letter is left', () => {
    assert.match(branchName({ ...parts, title: 'Größe ändern à la carte' }), /\/gro-e-andern-a-la-carte-/);
    assert.match(branchName({ ...parts, title: '日本語を直す' }), /\/change-/);
    assert.match(branchName({ ...parts, title: '' }), /\/change-/);
  });

  const prefixes = [
    '',
    '/',
    '//',
    'a//b/',
    '../',
    '../../x/',
    '.hidden/',
    'x.lock/',
    'x.lock',
    'x..y/',
    'a b/',
    '-x/',
    'x.',
    'x./',

    'refs/heads/@{-1}/',
    'a~b^c:d?e*f[g\\h/',
    'ünïcode/',
    '\u0000\n/',
    'x.lock.lock/',
    'long/'.repeat(60),
  ];
  for (const prefix of prefixes) {
    it(`is one that git takes after the prefix ${JSON.stringify(prefix.slice(0, 30))}`, () => {
      for (const title of ['x', '...', '.lock', 'y'.repeat(300), '@{', '--upload-pack=evil']) {
        for (const round of [1, 12]) {
          const name = branchName({ ...parts, prefix, title, round });
          assertBranch(name);
          assert.ok(name.endsWith(round === 1 ? '-aaaabbbbcccc' : '-aaaabbbbcccc-12'), name);
        }
      }
    });
  }

  it('knows which branches would be in its way, and goes without a folder then', () => {
    assert.deepEqual(namesInTheWay('a/b/c'), ['a', 'a/b']);
    assert.deepEqual(namesInTheWay('abc'), []);
    assert.equal(flatBranchName('a/b/c'), 'a-b-c');
  });
});

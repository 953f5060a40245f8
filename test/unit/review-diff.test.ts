import assert from 'node:assert/strict';
import { type DiffRow, type FileDiff, type Line, readDiff } from '../../src/adapters/http/review-diff.ts';
import { pairLines } from '../../src/adapters/http/review-line-pairs.ts';

const wide = { linesPerFile: 1_000, lines: 10_000 };

function patch(path: string, hunks: string, header = ''): string {
  return `diff --git a/${path} b/${path}\n${header}index 1111111..2222222 100644\n--- a/${path}\n+++ b/${path}\n${hunks}`;
}

function only(diff: string): FileDiff {
  const [file, ...more] = readDiff(diff, wide);
  assert.ok(file);
  assert.equal(more.length, 0);
  return file;
}

/** A row as a short text: changed words stand in brackets. */
function told(row: DiffRow): string {
  const line = (side: Line | undefined): string =>
    side === undefined
      ? '·'
      : `${side.number} ${side.parts.map((part) => (part.changed ? `[${part.text}]` : part.text)).join('')}${side.lineEnd ?? ''}`;
  switch (row.kind) {
    case 'gap':
      return `gap ${row.from}-${row.to}`;
    case 'note':
      return `note ${row.text}`;
    case 'context':
      return `= ${line(row.before)} | ${line(row.after)}`;
    case 'change':
      return `~ ${line(row.before)} | ${line(row.after)}`;
  }
}

describe('Reading a diff for the review page', () => {
  it('numbers the lines of both sides and marks the words that changed', () => {
    const file = only(
      patch(
        'docs/a.md',
        '@@ -3,4 +3,4 @@ Heading\n before\n-Please log in now.\n+Please sign in now.\n after\n end\n',
      ),
    );
    assert.equal(file.path, 'docs/a.md');
    assert.deepEqual(file.rows.map(told), [
      'gap 1-2',
      '= 3 before | 3 before',
      '~ 4 Please [log] in now. | 4 Please [sign] in now.',
      '= 5 after | 5 after',
      '= 6 end | 6 end',
    ]);
    assert.equal(file.hiddenLines, 0);
  });

  it('keeps a page in one piece whose lines look like headers of a diff', () => {
    const file = only(
      patch('a.md', '@@ -1,4 +1,4 @@\n top\n--- x\n+++ b/evil.md\n-diff --git a/x b/x\n+@@ -1 +1 @@\n end\n'),
    );
    assert.deepEqual(file.rows.map(told), [
      '= 1 top | 1 top',
      '~ 2 -- x | ·',
      '~ 3 diff --git a/x b/x | ·',
      '~ · | 2 ++ b/evil.md',
      '~ · | 3 @@ -1 +1 @@',
      '= 4 end | 4 end',
    ]);
  });

  it('reads new, deleted, renamed and binary files', () => {
    const diff = [
      'diff --git a/new.md b/new.md\nnew file mode 100644\nindex 0000000..2222222\n--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+Hello\n',
      'diff --git a/old.md b/old.md\ndeleted file mode 100644\nindex 1111111..0000000\n--- a/old.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-Bye\n',
      'diff --git a/from.md b/to.md\nsimilarity index 100%\nrename from from.md\nrename to to.md\n',
      'diff --git a/logo.png b/logo.png\nindex 1111111..2222222 100644\nBinary files a/logo.png and b/logo.png differ\n',
    ].join('');
    assert.deepEqual(
      readDiff(diff, wide).map((file) => [file.path, file.binary, file.rows.map(told)]),
      [
        ['new.md', false, ['~ · | 1 Hello']],
        ['old.md', false, ['~ 1 Bye | ·']],
        ['to.md', false, []],
        ['logo.png', true, []],
      ],
    );
  });

  it('finds a file by its name with spaces and letters of every kind', () => {
    assert.equal(
      only(patch('docs/neue Seite – ü.md', '@@ -1 +1 @@\n-a\n+b\n')).path,
      'docs/neue Seite – ü.md',
    );
  });

  it('tells a change of the line break, which nobody sees', () => {
    const file = only(patch('a.md', '@@ -1 +1 @@\n-same words\r\n+same words\n'));
    assert.deepEqual(file.rows.map(told), ['~ 1 same wordsCRLF | 1 same wordsLF']);
  });

  it('pairs lines across a missing line break at the end', () => {
    const end = '\\ No newline at end of file\n';
    const file = only(patch('a.md', `@@ -1 +1 @@\n-old words here\n${end}+new words here\n${end}`));
    assert.deepEqual(file.rows.map(told), [
      '~ 1 [old] words here | 1 [new] words here',
      'note No line break at the end of the file',
    ]);
  });

  it('cuts a long file and the whole page, and counts what is not shown', () => {
    const block = (count: number): string =>
      `@@ -1,${count} +1,${count} @@\n${'-old line\n'.repeat(count)}${'+new line\n'.repeat(count)}`;
    const diff = ['a.md', 'b.md', 'c.md'].map((name) => patch(name, block(50))).join('');
    const files = readDiff(diff, { linesPerFile: 40, lines: 60 });
    assert.deepEqual(
      files.map((file) => [file.path, file.rows.length, file.hiddenLines]),
      [
        ['a.md', 20, 60],
        ['b.md', 10, 80],
        ['c.md', 0, 100],
      ],
    );
    // The cut does not part what belongs together.
    assert.ok(files[0]?.rows.every((row) => row.kind === 'change' && row.before && row.after));
    const [alone] = readDiff(diff, { linesPerFile: 1_000, lines: 1_000 }, 'c.md');
    assert.deepEqual([alone?.path, alone?.hiddenLines], ['c.md', 0]);
  });

  it('cuts a line of megabytes and does not compare it word by word', () => {
    const long = 'word '.repeat(200_000);
    const file = only(patch('min.js', `@@ -1 +1 @@\n-${long}\n+${long}x\n`));
    const [row] = file.rows;
    assert.ok(row?.kind === 'change' && row.before && row.after);
    assert.deepEqual([row.before.parts.length, row.after.parts.length], [1, 1]);
    assert.match(told(row), /more characters\)/);
    assert.ok(told(row).length < 11_000);
  });

  it('does not compare ten thousand changed lines with each other', () => {
    const lines = (sign: string): string =>
      Array.from({ length: 10_000 }, (_, i) => `${sign}line ${i} of many ${sign}\n`).join('');
    // That would be a hundred million comparisons: minutes.
    const file = only(patch('big.md', `@@ -1,10000 +1,10000 @@\n${lines('-')}${lines('+')}`));
    assert.equal(file.hiddenLines, 19_000);
  }).timeout(20_000);

  it('is an empty list for an empty diff, and for one that breaks off', () => {
    assert.deepEqual(readDiff('', wide), []);
    assert.deepEqual(readDiff(patch('a.md', '@@ -1,9 +1,9 @@\n-a\n'), wide), []);
  });
});

describe('Pairing removed with added lines', () => {
  it('puts a line beside the one that it became, though another was put in before', () => {
    const removed = ['## When you cannot log in', 'Check that the address is right.'];
    const added = [
      '> A new note about companies.',
      '## When you cannot sign in',
      'Check that the address is correct.',
    ];
    assert.deepEqual(pairLines(removed, added), [
      [undefined, '> A new note about companies.'],
      ['## When you cannot log in', '## When you cannot sign in'],
      ['Check that the address is right.', 'Check that the address is correct.'],
    ]);
  });

  it('leaves lines alone that have nothing in common', () => {
    assert.deepEqual(pairLines(['alpha beta'], ['gamma delta']), [
      ['alpha beta', undefined],
      [undefined, 'gamma delta'],
    ]);
  });

  it('never loses or reorders a line', () => {
    const words = ['a b', 'b c', 'c d', '', 'a b', 'x'];
    const lines = (seed: number): string[] =>
      Array.from({ length: seed % 7 }, (_, i) => words[(seed * 31 + i * 17) % words.length] ?? '');
    for (let seed = 0; seed < 400; seed++) {
      const [removed, added] = [lines(seed), lines(seed * 7 + 3)];
      const pairs = pairLines(removed, added);
      assert.deepEqual(
        pairs.flatMap(([line]) => (line === undefined ? [] : [line])),
        removed,
      );
      assert.deepEqual(
        pairs.flatMap(([, line]) => (line === undefined ? [] : [line])),
        added,
      );
    }
  });
});

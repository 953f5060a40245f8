import assert from 'node:assert/strict';
import type { Instruction } from '../../src/adapters/agents/rules/instruction.ts';
import { parsePrompt } from '../../src/adapters/agents/rules/prompt.ts';

/** One line for each instruction, so that a case reads as a sentence. */
function said(prompt: string, earlier: readonly string[] = []): string[] {
  const parsed = parsePrompt(prompt, earlier);
  return parsed.kind === 'unclear' ? [`unclear: ${parsed.clause}`] : parsed.instructions.map(shown);
}

function shown(instruction: Instruction): string {
  if (instruction.kind === 'rename') return `rename ${instruction.from} > ${instruction.to}`;
  const { only, except } = instruction.scope;
  const scope = [
    only.length > 0 ? ` in ${only.join('+')}` : '',
    except.length > 0 ? ` not ${except.join('+')}` : '',
  ];
  if (instruction.kind === 'links' || instruction.kind === 'tidy') return instruction.kind + scope.join('');
  const { reach, insideWords, matchCase } = instruction.options;
  const flags = Object.entries({ ...reach, insideWords, matchCase }).flatMap(([name, on]) =>
    on ? [` ${name}`] : [],
  );
  const what =
    instruction.kind === 'terms'
      ? `terms ${instruction.list ?? '?'}`
      : `${instruction.term} > ${instruction.replacement}`;
  return what + scope.join('') + flags.join('');
}

const cases: readonly (readonly [prompt: string, ...expected: string[]])[] = [
  ['Replace "log in" with "sign in"', 'log in > sign in'],
  ['replace “log in” with “sign in”.', 'log in > sign in'],
  ['Replace «log in» by »sign in«', 'log in > sign in'],
  ['replace „Log in“ with ‚Sign in‘', 'Log in > Sign in'],
  ['Replace *log in* with **sign in**', 'log in > sign in'],
  ['replace `log in` with `sign in`', 'log in > sign in'],
  ["Replace 'don't' with 'do not'", "don't > do not"],
  ['change the term "GitHub" to "GitLab"', 'GitHub > GitLab'],
  ['rename "Slack" to "Discord"', 'Slack > Discord'],
  ['Please use "sign in" instead of "log in"', 'log in > sign in'],
  ['Don\'t say "log in" but "sign in"', 'log in > sign in'],
  ['"log in" → "sign in"', 'log in > sign in'],
  ['replace utilize with use', 'utilize > use'],
  ['Could you replace the word utilize with use, please?', 'utilize > use'],
  ['replace log in with sign in in guides/', 'log in > sign in in guides/'],
  [
    'Replace "a" with "b", "c" with "d" and "e" with "f" in guides/',
    'a > b in guides/',
    'c > d in guides/',
    'e > f in guides/',
  ],
  [
    'replace "a" with "b" in guides/ and "api/x y.md" except in guides/old.md',
    'a > b in guides/+api/x y.md not guides/old.md',
  ],
  ['replace "a" with "b" in the API pages', 'a > b in API pages'],
  ['replace "a" with "b" in **/*.mdx, match case', 'a > b in **/*.mdx matchCase'],
  ['replace "a" with "b" everywhere, but not in code', 'a > b'],
  ['replace "a" with "b", also in code and front matter', 'a > b code frontMatter'],
  ['replace "a" with "b" (also inside words)', 'a > b insideWords'],
  ['Replace "a" with "b". Match case. Only in guides/. Also in code.', 'a > b in guides/ code matchCase'],
  ['replace "in guides/" with "and then fix broken links"', 'in guides/ > and then fix broken links'],
  ['In docs/en, replace "a" with "b"', 'a > b in docs/en'],
  ['in guides/ replace "a" with "b" except guides/x.md', 'a > b in guides/ not guides/x.md'],
  ['Replace ‘a’ with ‘b’ in en, except in en/reference', 'a > b in en not en/reference'],
  ['replace "a" with "b" (only in guides/)', 'a > b in guides/'],
  ['replace "a" with "b" in guides/ (except guides/x.md)', 'a > b in guides/ not guides/x.md'],
  ['replace "a" with "b" (only in guides)', 'a > b in guides'],
  ['Use "b" instead of "a" (except in changelog)', 'a > b not changelog'],
  ['replace "a" with "b" everywhere except in the reference', 'a > b not reference'],
  ['Don\'t use "a", use "b" instead', 'a > b'],
  ['Replace "a" by "b" in all .md files', 'a > b in *.md'],
  ['fix the typo "recieve" -> "receive"', 'recieve > receive'],
  ['Correct the spelling of "recieve" to "receive" in guides/', 'recieve > receive in guides/'],
  ['fix broken links', 'links'],
  ['Fix all the broken links in the guides folder', 'links in guides folder'],
  ['repair dead links and anchors', 'links'],
  ['tidy Markdown', 'tidy'],
  ['Tidy up the Markdown in guides/', 'tidy in guides/'],
  ['rename page guides/auth to guides/authentication', 'rename guides/auth > guides/authentication'],
  ['rename guides/auth.md → guides/login.md', 'rename guides/auth.md > guides/login.md'],
  ['rename the page guides/auth as guides/login', 'rename guides/auth > guides/login'],
  ['rename guides/folder.md to guides/the-section.md', 'rename guides/folder.md > guides/the-section.md'],
  ['rename section to chapter', 'section > chapter'],
  ['rename guides/auth.md to login.md', 'rename guides/auth.md > login.md'],
  ['move the page quickstart to the folder guides', 'rename quickstart > guides/'],
  ['Rename the page "Quick start" to "First steps"', 'rename Quick start > First steps'],
  ['rename page a to b and update the links', 'rename a > b'],
  [
    'Rename guides/a.md to guides/b.md with all its links, and add a redirect',
    'rename guides/a.md > guides/b.md',
  ],
  ['rename page guides/a to guides/b in the navigation too', 'rename guides/a > guides/b'],
  ['rename page "guides/a" to "guides/and the links"', 'rename guides/a > guides/and the links'],
  ['apply terms', 'terms ?'],
  ['Apply terms: terms.csv', 'terms terms.csv'],
  ['apply the term list `my terms.csv` in guides/', 'terms my terms.csv in guides/'],
  ['Apply the terms from styles/terms.csv in guides/', 'terms styles/terms.csv in guides/'],
  ['apply the Vale rules', 'terms ?'],
  ['1. replace "a" with "b"\n2. fix broken links\n\n- tidy markdown', 'a > b', 'links', 'tidy'],
  [
    'Replace "a" with "b", then fix broken links; tidy Markdown and apply terms',
    'a > b',
    'links',
    'tidy',
    'terms ?',
  ],
  ['Fix broken links and use "x" instead of "y"', 'links', 'y > x'],
];

describe('The rules agent reading a prompt', () => {
  for (const [prompt, ...expected] of cases) {
    it(JSON.stringify(prompt), () => assert.deepEqual(said(prompt), expected));
  }

  for (const prompt of [
    '',
    'Document the new retry option everywhere',
    'replace blue with red in the sky',
    'replace a with b with c',
    'Replace the intro with something friendlier',
    'replace passive voice with the active voice',
    'Change the tone to friendly',
    'Use active voice instead of passive voice',
    'In the guides, explain "retry"',
    'replace "a"',
    'fix the bug in the login page',
    'Replace "a" with "b" and write a page about it',
    'also in code',
    'rename page guides/start to tutorials/quick start',
    'rename guides/start.md to tutorials/quick start.md',
    'rename folder guides to tutorials',
    'Replace "a" with ""',
    'Replace "a" with “”',
    'replace "a" with nothing',
    'Replace "_" with " "',
    'Replace " " with "_"',
    'rename the folder to tutorials',
    'use terms consistently',
    'thanks!',
  ]) {
    it(`does not guess at ${JSON.stringify(prompt)}`, () =>
      assert.equal(parsePrompt(prompt).kind, 'unclear'));
  }

  it('names the part that it did not understand', () => {
    assert.deepEqual(said('Fix broken links. Write a page about "log in".'), [
      'unclear: Write a page about "log in"',
    ]);
  });

  it('asks for quotes when it cannot see where the words end', () => {
    const parsed = parsePrompt('replace blue with red in the sky');
    assert.match(parsed.kind === 'unclear' ? (parsed.hint ?? '') : '', /quotes/);
  });

  it('says what would be clear', () => {
    const hint = (prompt: string): string => {
      const parsed = parsePrompt(prompt);
      return parsed.kind === 'unclear' ? (parsed.hint ?? '') : '';
    };
    assert.match(hint('rename page guides/start to tutorials/quick start'), /path with spaces in quotes/);
    assert.match(hint('rename folder guides to tutorials'), /rename page guides\/old to guides\/new/);
    for (const nothing of ['""', '" "', 'nothing', 'a space'])
      assert.match(hint(`Replace "a" with ${nothing}`), /by other words only: not by nothing/);
  });

  it('takes a follow-up for a change of the earlier prompt', () => {
    const earlier = ['Replace "a" with "b" in guides/'];
    assert.deepEqual(said('also in the API pages', earlier), ['a > b in API pages']);
    assert.deepEqual(said('Also in code.', earlier), ['a > b in guides/ code']);
    assert.deepEqual(said('and now do the same in reference/', [...earlier, 'what?']), [
      'a > b in reference/',
    ]);
    assert.deepEqual(said('also in reference/', [...earlier, 'also in code']), ['a > b in reference/ code']);
  });

  it('reads a long conversation that it did not understand', () => {
    const earlier = Array.from({ length: 60 }, () => 'and what about it?');
    assert.deepEqual(said('Fix broken links', earlier), ['links']);
  });

  // Long enough that quadratic time is minutes, and linear time less than a second.
  const hostile: readonly (readonly [start: string, piece: string, end: string])[] = [
    ['', '"', ''],
    ['', '*', ''],
    ['', 'in a ', ''],
    ['', 'and then ', ''],
    ['', '“a', ''],
    ['', 'replace "a" with ', ''],
    ['', ', ', ''],
    ['', 'also in code ', ''],
    ['', ' - ', ''],
    ['', "'a ", ''],
    ['', '⟦1⟧ and ', ''],
    ['', '“', 'x'],
    ['', ',', 'x'],
    ['', ':', 'x'],
    ['', '.', 'x'],
    ['tidy', ' ', 'x'],
    ['replace "a" with "b"', '\t', 'x'],
    ['rename a to b', ' and the', ' x'],
  ];
  for (const [start, piece, end] of hostile) {
    const text = JSON.stringify(`${start}${piece}…${end}`);
    it(`reads a hostile prompt in linear time: ${text}`, () => {
      parsePrompt(`${start}${piece.repeat(Math.ceil(250_000 / piece.length))}${end}`);
    }).timeout(20_000);
  }
});

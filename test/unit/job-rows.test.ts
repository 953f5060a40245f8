import assert from 'node:assert/strict';
import { areSeveralProjects, groupOf, jobRow, type RowContext } from '../../src/extension/job-rows.ts';
import { jobErrorCodes } from '../../src/contract/errors.ts';
import { failureWords } from '../../src/extension/failure-words.ts';
import { ageWords, shortAge, titleOf } from '../../src/extension/job-words.ts';
import { anEnded, anEntry, english, link, minute, noon } from '../support/job-entries.ts';

const context: RowContext = {
  now: noon + 3 * minute,
  t: english,
  clock: () => '14:02',
  severalProjects: false,
};
const late = { code: 'unreachable', message: 'The service could not be reached.', at: noon + 2 * minute };
const words = (value: string): string[] => value.split(' ');

describe('A row of the list', () => {
  it('shows a running job with its step and age', () => {
    const row = jobRow(anEntry({ job: { step: 'Checking the pages' } }), context);
    assert.equal(row.label, 'Replace "log in"…', 'short, so that the state has room beside it');
    assert.equal(row.description, 'Checking the pages · 3 min');
    assert.equal(row.icon.id, 'sync~spin');
    assert.equal(row.accessibilityLabel, 'Running, Replace "log in" with "sign in", 3 minutes ago');
    assert.deepEqual(words(row.contextValue), ['job', 'running', 'cancellable', 'followable', 'local']);
  });

  const states: [ReturnType<typeof anEntry>, string, string][] = [
    [anEntry(), 'Running · 3 min', 'running'],
    [anEntry({ job: undefined }), 'Sending · 3 min', 'sending'],
    [anEntry({ job: { status: 'queued' } }), 'queued · 3 min', 'unknown'],
    [anEnded({ status: 'completed', prLink: link }), 'Ready · 2 min', 'completed'],
    [anEnded({ status: 'completed', prLink: 'file:///etc' }), 'Completed · 2 min', 'completed'],
    [anEnded({ status: 'completed' }), 'No change · 2 min', 'nothingToChange'],
    [anEnded({ status: 'failed' }), 'Failed · 2 min', 'failed'],
    [anEnded({ status: 'archived' }), 'Archived · 2 min', 'archived'],
    [anEntry({ problem: { ...late, code: 'not_found' } }), 'No longer at the service · 3 min', 'gone'],
    [anEntry({ job: undefined, problem: late }), 'Not started · 3 min', 'notStarted'],
    [
      anEntry({ job: undefined, problem: { ...late, code: 'may_have_started' } }),
      'May have started · 3 min',
      'mayHaveStarted',
    ],
  ];
  for (const [entry, description, kind] of states) {
    it(`says “${description}”`, () => {
      // The limit of `sending` is two minutes.
      const young = kind === 'sending' ? { ...entry, createdAt: context.now - minute } : entry;
      const row = jobRow(young, context);
      assert.equal(row.description, kind === 'sending' ? 'Sending · 1 min' : description);
      assert.equal(words(row.contextValue)[1], kind);
    });
  }

  it('says in full to a screen reader what has no room in the row', () => {
    const ready = jobRow(anEnded({ status: 'completed', prLink: link }), context);
    assert.match(ready.accessibilityLabel, /^Pull request ready, Replace .*, new, 2 minutes ago$/);
    const unchanged = jobRow(anEnded({ status: 'completed' }), context);
    assert.match(unchanged.accessibilityLabel, /^Nothing to change, Replace .*, new, 2 minutes ago$/);
  });

  it('says in a few words why a job failed, and to a screen reader that it failed as well', () => {
    const error = { code: 'model_authentication_failed', message: 'The key is refused.', retryable: false };
    const row = jobRow(anEnded({ status: 'failed', error }), context);
    assert.equal(row.description, 'Key refused · 2 min');
    const unclear = jobRow(
      anEnded({ status: 'failed', error: { ...error, code: 'prompt_not_understood' } }),
      context,
    );
    const [why = ''] = unclear.description.split(' · ');
    assert.ok(unclear.label.length + why.length <= 30, `${unclear.label} ${why}: the title makes room`);
    const ready = jobRow(anEnded({ status: 'completed', prLink: link }), context);
    assert.ok(ready.label.length > unclear.label.length, 'but only where it must');
    assert.match(row.accessibilityLabel, /^Failed: Key refused, Replace .*, new, 2 minutes ago$/);
    const unknown = { ...error, code: 'a_code_of_the_future' };
    assert.equal(
      jobRow(anEnded({ status: 'failed', error: unknown }), context).description,
      'Failed · 2 min',
    );
  });

  it('has words for each cause that fit beside a title, each its own', () => {
    const all = jobErrorCodes.map((code) => failureWords(code, english)).filter((few) => few !== undefined);
    assert.deepEqual(
      jobErrorCodes.filter((code) => failureWords(code, english) === undefined),
      ['cancelled', 'internal'],
    );
    assert.deepEqual(
      all.filter((few) => few.length > 16),
      [],
    );
    assert.equal(new Set(all).size, all.length);
  });

  it('calls the agent of a local job by its name, before it has begun as well', () => {
    const names = { providers: [], commands: [] };
    const agentOf = (model: string, service = 'local'): string | undefined =>
      /Agent\\: (.*)$/.exec(jobRow(anEntry({ service, job: { model } }), { ...context, names }).tooltip)?.[1];
    assert.equal(agentOf('rules'), 'Built\\-in rules');
    assert.equal(agentOf('acp:claude'), 'Claude Code');
    assert.equal(agentOf('model:openai/large'), 'large');
    assert.equal(agentOf('large \\(OpenAI\\)'.replaceAll('\\', '')), 'large \\(OpenAI\\)');
    assert.equal(agentOf('rules', 'https://api.example.com'), 'rules', 'a hosted service has its own words');
  });

  it('keeps the lines of a failure, as what can be done is listed in them', () => {
    const message = 'I did not understand.\n\nIt can:\n- fix broken links\n- tidy Markdown';
    const row = jobRow(
      anEnded({ status: 'failed', error: { code: 'x', message, retryable: false } }),
      context,
    );
    assert.match(row.tooltip, /understand\\\.\n\nIt can\\: {2}\n\\- fix broken links {2}\n/);
  });

  it('has another icon for each state, so that colour is never all', () => {
    const ids = states
      .filter(([, , kind]) => kind !== 'sending')
      .map(([entry]) => [jobRow(entry, context).icon.id, words(jobRow(entry, context).contextValue)[1]]);
    const meanings = Map.groupBy(ids, ([id]) => id);
    // Not knowing is one picture, for a strange status as for a lost answer.
    assert.deepEqual(
      [...meanings].filter(([, kinds]) => new Set(kinds.map(([, kind]) => kind)).size > 1).map(([id]) => id),
      ['question'],
    );
  });

  it('says when it was last checked, if the last look failed', () => {
    const row = jobRow(anEntry({ checkedAt: noon, problem: late }), context);
    assert.equal(row.description, 'As of 14:02 · 3 min');
    const step = anEntry({ checkedAt: noon, problem: late, job: { step: 'Checking the pages' } });
    assert.equal(jobRow(step, context).description, 'As of 14:02 · 3 min', 'the step may be long past');
    assert.match(row.accessibilityLabel, /last checked 14:02/);
    assert.match(row.tooltip, /The service could not be reached/);
    assert.equal(row.icon.id, 'sync-ignored', 'nothing turns of which nothing is known');
    assert.equal(jobRow(anEntry({ job: { status: 'queued' }, problem: late }), context).icon.id, 'question');
    assert.match(jobRow(anEntry({ problem: late }), context).description, /^Not checked yet · /);
  });

  it('does not say so of a job that ended', () => {
    const row = jobRow({ ...anEnded({ status: 'completed' }), problem: late }, context);
    assert.equal(row.description, 'No change · 2 min');
  });

  it('names the project where there are several', () => {
    const row = jobRow(anEntry(), { ...context, severalProjects: true });
    assert.equal(row.description, 'Running · 3 min · docs-site');
    assert.equal(areSeveralProjects([anEntry(), anEntry({ id: 'b' })]), false);
    assert.equal(areSeveralProjects([anEntry(), anEntry({ service: 'https://api.example.com' })]), true);
  });

  it('offers only what the job and its service can', () => {
    const of = (entry: ReturnType<typeof anEntry>): string[] => words(jobRow(entry, context).contextValue);
    const hosted = { service: 'https://api.example.com' };
    assert.deepEqual(of(anEntry(hosted)), ['job', 'running', 'followable', 'hosted']);
    assert.ok(of(anEntry({ ...hosted, job: { updatedAt: '2026-01-01T12:00:00Z' } })).includes('cancellable'));
    const completed = of(anEnded({ status: 'completed', prLink: link }));
    for (const word of ['ended', 'archivable', 'hasPullRequest', 'unseen'])
      assert.ok(completed.includes(word));
    assert.ok(!of(anEnded({ status: 'completed', prLink: 'javascript:1' })).includes('hasPullRequest'));
    assert.ok(!of(anEntry({ job: undefined })).includes('followable'));
    const error = { code: 'model_no_credit', message: 'Nothing is left.', retryable: false };
    assert.ok(of(anEnded({ status: 'failed', error })).includes('otherAgent'));
    assert.ok(!of(anEnded({ status: 'failed', error }, hosted)).includes('otherAgent'));
    assert.ok(!of(anEnded({ status: 'failed' })).includes('otherAgent'));
    const unsent = (code: string): string[] =>
      of(anEntry({ job: undefined, problem: { code, message: 'x', at: noon } }));
    assert.ok(unsent('agent_not_ready').includes('otherAgent'));
    assert.ok(!unsent('unreachable').includes('otherAgent'));
  });

  it('reads an unseen result as new', () => {
    assert.equal(
      jobRow(anEnded({ status: 'failed' }), context).accessibilityLabel,
      'Failed, Replace "log in" with "sign in", new, 2 minutes ago',
    );
  });

  it('never lets foreign text be more than text', () => {
    const evil = '[x](command:run) <b>\u202E';
    const entry = anEntry({
      prompt: evil,
      projectName: evil,
      job: { status: evil, model: evil, step: evil },
      problem: { ...late, message: evil },
    });
    const row = jobRow(entry, { ...context, severalProjects: true });
    assert.doesNotMatch(row.tooltip, /(?<!\\)[[<]/);
    for (const text of [row.label, row.description, row.tooltip]) assert.doesNotMatch(text, /\u202E/);
    assert.deepEqual(words(row.contextValue)[1], 'unknown', 'a status cannot add words for menus');
  });

  it('sorts jobs into running, finished and archived', () => {
    assert.equal(groupOf(anEntry({ job: undefined }), noon), 'running');
    assert.equal(groupOf(anEntry({ job: undefined }), noon + 3 * minute), 'finished');
    assert.equal(groupOf(anEntry({ job: { status: 'queued' } }), noon), 'running');
    assert.equal(groupOf(anEntry({ problem: { ...late, code: 'not_found' } }), noon), 'finished');
    assert.equal(groupOf(anEnded({ status: 'failed' }), noon), 'finished');
    assert.equal(groupOf(anEnded({ status: 'archived' }), noon), 'archived');
  });
});

describe('Words of a row', () => {
  it('takes the first line of the prompt that says something, cut at a word', () => {
    assert.equal(titleOf(anEntry({ prompt: '\n  \r\nTidy\tMarkdown\nin docs' })), 'Tidy Markdown');
    const long = titleOf(anEntry({ prompt: 'word '.repeat(40) }));
    assert.ok(long.length <= 61 && long.endsWith('word…'), long);
    assert.equal(titleOf(anEntry({ prompt: '', job: { title: 'From the service' } })), 'From the service');
    assert.equal(titleOf(anEntry({ prompt: '', id: 'abc' })), 'abc');
  });

  const ages: [number, string, string][] = [
    [-5 * minute, 'now', 'just now'],
    [59_999, 'now', 'just now'],
    [minute, '1 min', '1 minute ago'],
    [59 * minute, '59 min', '59 minutes ago'],
    [60 * minute, '1 h', '1 hour ago'],
    [47 * 60 * minute, '1 d', '1 day ago'],
    [48 * 60 * minute, '2 d', '2 days ago'],
  ];
  for (const [ms, short, full] of ages) {
    it(`calls ${ms} ms “${full}”`, () => {
      assert.equal(shortAge(ms, english), short);
      assert.equal(ageWords(ms, english), full);
    });
  }
});

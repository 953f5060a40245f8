import assert from 'node:assert/strict';
import { announce, insteadOfOpening, type AnnouncementRules } from '../../src/extension/announcements.ts';
import { withoutLinks } from '../../src/extension/plain-words.ts';
import { anEnded, english, link } from '../support/job-entries.ts';

const usual: AnnouncementRules = {
  openPullRequest: 'automatically',
  notifications: 'always',
  focused: true,
  muted: new Set(),
};
const ready = anEnded({ status: 'completed', prLink: link }, { id: 'ready', prompt: 'Say sign in' });
const other = { ...ready, id: 'other' };
const unchanged = anEnded({ status: 'completed' }, { id: 'unchanged', prompt: 'Tidy' });
const error = { code: 'prompt_not_understood', message: 'Say it another way.', retryable: false };
const failed = anEnded({ status: 'failed', error }, { id: 'failed', prompt: 'Sing' });
const cancelled = anEnded({ status: 'failed', error: { ...error, code: 'cancelled' } }, { id: 'cancelled' });

const plan = (ended: Parameters<typeof announce>[0], rules: Partial<AnnouncementRules> = {}) =>
  announce(ended, { ...usual, ...rules }, english);

describe('What is said of jobs that ended', () => {
  it('opens the pull request and says nothing besides', () => {
    assert.deepEqual(plan([ready]), { open: ready, show: undefined });
  });

  it('opens it whatever notifications are set to', () => {
    assert.equal(plan([ready], { notifications: 'never' }).open, ready);
  });

  it('tells of the pull request that could not be opened by itself, unless nothing is to be told', () => {
    const opened = { ...ready, openedAt: 1 };
    const instead = insteadOfOpening(opened, usual, english);
    assert.equal(instead?.text, 'The pull request for “Say sign in” is ready.');
    assert.deepEqual(instead?.actions, ['openPullRequest']);
    assert.equal(insteadOfOpening(opened, { ...usual, notifications: 'never' }, english), undefined);
  });

  it('never opens two: one notification stands for them', () => {
    const { open, show } = plan([ready, other]);
    assert.equal(open, undefined);
    assert.equal(show?.text, '2 docs jobs have ended: 2 are ready for review.');
    assert.deepEqual(show?.actions, ['showJobs']);
    assert.ok(
      plan([ready, other], { notifications: 'unfocused' }).show,
      'they would have come up, so it does',
    );
    assert.equal(plan([ready, other], { notifications: 'never' }).show, undefined);
  });

  for (const openPullRequest of ['ask', 'never'] as const) {
    it(`offers the pull request when it is opened: ${openPullRequest}`, () => {
      const { open, show } = plan([ready], { openPullRequest });
      assert.equal(open, undefined);
      assert.equal(show?.text, 'The pull request for “Say sign in” is ready.');
      assert.deepEqual(show?.actions, ['openPullRequest']);
      assert.equal(show?.entry, ready);
    });
  }

  it('does not open it a second time after a follow-up, but says that it is ready', () => {
    const again = { ...ready, openedAt: 1 };
    const { open, show } = plan([again]);
    assert.deepEqual([open, show?.kind], [undefined, 'ready']);
  });

  it('does not open a link that is not safe', () => {
    const { open, show } = plan([anEnded({ status: 'completed', prLink: 'file:///etc/passwd' })]);
    assert.deepEqual([open, show?.actions], [undefined, ['showJob']]);
  });

  it('tells nothing to change from a failure, with what to do', () => {
    assert.equal(plan([unchanged]).show?.text, '“Tidy” is done: there was nothing to change.');
    assert.equal(
      plan([{ ...unchanged, service: 'https://api.example.com' }]).show?.text,
      '“Tidy” is done: there was nothing to change, or the project takes changes without a pull request.',
    );
    const { show } = plan([failed]);
    assert.equal(show?.text, '“Sing” failed. Say it another way.');
    const long = { ...error, message: `${error.message}\n\n- a list\n- of what it can` };
    const { show: shown } = plan([anEnded({ status: 'failed', error: long }, { prompt: 'Sing' })]);
    assert.equal(shown?.text, show?.text, 'a notification has no room for lists');
    assert.equal(show?.severity, 'warning');
    assert.deepEqual(show?.actions, ['chooseAgent', 'reusePrompt']);
  });

  it('says what the rules can do and what else there is, where their first line only repeats the prompt', () => {
    const told = (message: string, service = 'local', prompt = 'Write a  poem\n'): string | undefined =>
      plan([anEnded({ status: 'failed', error: { ...error, message } }, { service, prompt })]).show?.text;
    const repeats =
      'I did not understand: Write a poem\n\nWithout a model, Docs Agent can:\n- fix broken links';
    assert.match(
      told(repeats) ?? '',
      /^“Write a poem” failed\. The built-in rules .*choose an agent that writes\.$/,
    );
    assert.match(
      told(repeats, 'local', 'Write a poem!') ?? '',
      /^“Write a poem!” failed\. The built-in rules /,
    );
    assert.match(
      told('I did not understand: a poem', 'https://api.example.com') ?? '',
      /understand: a poem$/,
    );
    assert.match(told('There is no page “poem.md”. Nothing was changed.') ?? '', /There is no page/);
  });

  it('offers another agent only where one may help', () => {
    const actions = (code: string, service = 'local'): readonly string[] | undefined =>
      plan([anEnded({ status: 'failed', error: { ...error, code } }, { service })]).show?.actions;
    for (const code of [
      'agent_unavailable',
      'model_authentication_failed',
      'model_no_credit',
      'usage_limit',
    ]) {
      assert.deepEqual(actions(code), ['chooseAgent', 'reusePrompt'], code);
    }
    for (const code of ['push_rejected', 'repository_unavailable', 'internal', 'a_code_of_the_future']) {
      assert.deepEqual(actions(code), ['showJob', 'reusePrompt'], code);
    }
    const hosted = actions('agent_unavailable', 'https://api.example.com');
    assert.deepEqual(hosted, ['showJob', 'reusePrompt'], 'a hosted service has its own agents');
  });

  it('opens one and tells of the rest', () => {
    const { open, show } = plan([ready, failed]);
    assert.equal(open, ready);
    assert.equal(show?.kind, 'failed');
  });

  it('counts a mixed lot in one sentence', () => {
    const { show } = plan([ready, other, unchanged, failed]);
    assert.equal(
      show?.text,
      '4 docs jobs have ended: 2 are ready for review, 1 had nothing to change, 1 failed.',
    );
  });

  it('is silent about what a person did', () => {
    assert.deepEqual(plan([cancelled, anEnded({ status: 'archived', prLink: link })]), {
      open: undefined,
      show: undefined,
    });
  });

  it('follows the setting and what was switched off', () => {
    assert.equal(plan([failed], { notifications: 'never' }).show, undefined);
    assert.equal(plan([failed], { notifications: 'unfocused' }).show, undefined);
    assert.ok(plan([failed], { notifications: 'unfocused', focused: false }).show);
    assert.equal(plan([failed], { muted: new Set(['failed']) }).show, undefined);
    assert.equal(plan([failed, unchanged], { muted: new Set(['failed']) }).show?.kind, 'nothingToChange');
    assert.equal(plan([failed, unchanged], { muted: new Set(['several']) }).show, undefined);
  });

  it('shows no link that a prompt or a service put in', () => {
    const evil = { ...error, message: 'Open [this](command:workbench.action.terminal.new) now.' };
    const { show } = plan([anEnded({ status: 'failed', error: evil }, { prompt: '[a](command:b)' })]);
    assert.doesNotMatch(show?.text ?? '](', /\]\(/);
    assert.equal(withoutLinks('[a](b)'), '[a] (b)');
  });
});

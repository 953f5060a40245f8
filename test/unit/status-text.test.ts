import assert from 'node:assert/strict';
import { statusText, type StatusText } from '../../src/extension/status-text.ts';
import { anEnded, anEntry, english, link, noon } from '../support/job-entries.ts';

const text = (...entries: ReturnType<typeof anEntry>[]): StatusText => statusText(entries, noon, english);
const words = (status: StatusText): string | undefined => (status.visible ? status.text : undefined);
const problem = { code: 'unreachable', message: 'The service could not be reached.', at: noon };

describe('The status bar', () => {
  it('is hidden when there is nothing to say', () => {
    assert.deepEqual(text(), { visible: false });
    const seen = { ...anEnded({ status: 'completed' }), seenAt: noon * 2 };
    assert.deepEqual(text(seen, anEnded({ status: 'archived' })), { visible: false });
  });

  it('spins while jobs run, and counts them', () => {
    assert.equal(words(text(anEntry())), '$(sync~spin) 1 docs job');
    assert.equal(words(text(anEntry(), anEntry({ id: 'b', job: undefined }))), '$(sync~spin) 2 docs jobs');
  });

  it('prefers running jobs to results', () => {
    assert.equal(words(text(anEntry(), anEnded({ status: 'failed' }))), '$(sync~spin) 1 docs job');
  });

  it('counts results until they were looked at', () => {
    const ready = anEnded({ status: 'completed', prLink: link });
    assert.equal(words(text(ready)), '$(git-pull-request) 1 docs result');
    assert.equal(words(text(ready, anEnded({ status: 'failed' }))), '$(git-pull-request) 2 docs results');
    assert.equal(words(text(anEnded({ status: 'failed' }))), '$(error) 1 docs result');
  });

  it('does not spin for a word that nobody knows', () => {
    const paused = anEntry({ id: 'paused', job: { status: 'paused' } });
    assert.equal(words(text(paused)), '$(question) 1 docs job');
    assert.equal(words(text(paused, anEntry())), '$(sync~spin) 2 docs jobs');
  });

  it('does not spin for jobs of which nothing is known', () => {
    const status = text(anEntry({ problem }));
    assert.equal(words(status), '$(warning) Docs jobs not checked');
    assert.match(status.visible ? status.tooltip : '', /could not be reached/);
    assert.equal(words(text(anEntry({ problem }), anEntry({ id: 'b' }))), '$(sync~spin) 2 docs jobs');
  });

  it('lists a few titles with their steps', () => {
    const many = Array.from({ length: 7 }, (_, n) =>
      anEntry({ id: `j${n}`, prompt: `Job ${n}`, job: { step: 'Push' } }),
    );
    const status = text(...many);
    assert.ok(status.visible);
    assert.deepEqual(status.tooltip.split('\n').slice(0, 2), ['7 docs jobs are running.', 'Job 0 · Push']);
    assert.equal(status.tooltip.split('\n').at(-1), 'and 2 more');
    assert.doesNotMatch(status.label, /\$\(|\.,/);
  });

  it('shows no icon that a prompt asks for', () => {
    const status = text(anEntry({ prompt: '$(flame) fire' }));
    assert.ok(status.visible && !status.text.includes('flame'));
  });
});

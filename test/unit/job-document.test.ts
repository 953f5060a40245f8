import assert from 'node:assert/strict';
import type { JobEvent } from '../../src/contract/events.ts';
import { jobDocument } from '../../src/extension/job-document.ts';
import type { JobEntry } from '../../src/extension/job-entry.ts';
import { anEnded, anEntry, english, link, minute, noon } from '../support/job-entries.ts';

const text = (entry: JobEntry, events?: readonly JobEvent[]): string =>
  jobDocument(entry, {
    now: noon + 3 * minute,
    t: english,
    dateTime: (at) => new Date(at).toISOString(),
    events,
  });
const plain = (markdown: string): string => markdown.replaceAll('\\', '');

describe('The document of a job', () => {
  it('says the state, the prompt, the link, the summary and the facts', () => {
    const document = plain(
      text(
        anEnded({
          status: 'completed',
          prLink: link,
          summary: 'Changed 2 pages:\n- a.md',
          filesChanged: 2,
          model: 'rules',
          branch: 'docs-agent/sign-in',
        }),
      ),
    );
    for (const part of [
      '**Pull request ready** · 3 minutes ago',
      `Pull request: <${link}>`,
      '```text\nReplace "log in" with "sign in"\n```',
      'Changed 2 pages:  \n- a.md',
      '- Pages changed: 2',
      '- Agent: Built-in rules',
      '- Branch: docs-agent/sign-in',
      '- Ended: 2026-01-01T12:01:00.000Z',
    ]) {
      assert.ok(document.includes(part), `${part} is missing in\n${document}`);
    }
  });

  it('says why it failed and what to do', () => {
    const error = {
      code: 'prompt_not_understood',
      message: 'Say it as “replace A with B”.',
      retryable: false,
    };
    const document = plain(text(anEnded({ status: 'failed', error })));
    assert.match(document, /Say it as “replace A with B”\./);
    assert.match(document, /Use “Reuse Prompt” to change the prompt/);
    assert.match(document, /Error code: prompt_not_understood/);
    const again = plain(text(anEnded({ status: 'failed', error: { ...error, retryable: true } })));
    assert.match(again, /may succeed later/);
    assert.match(document, /Another agent may do it/);
    const push = plain(text(anEnded({ status: 'failed', error: { ...error, code: 'push_rejected' } })));
    assert.doesNotMatch(push, /Another agent/);
  });

  it('names no job id where there is no job', () => {
    const problem = { code: 'may_have_started', message: 'Lost.', at: noon };
    const document = plain(text(anEntry({ id: 'idempotency-key', job: undefined, problem })));
    assert.match(document, /has not confirmed it, so the job may have started/);
    assert.doesNotMatch(document, /idempotency-key/);
  });

  it('lists what happened, as clean lines', () => {
    const events: JobEvent[] = [
      { id: 1, type: 'claimed', at: '2026-01-01T12:00:01Z', message: 'Started.' },
      { id: 2, type: 'progress', at: '2026-01-01T12:00:02Z', message: 'One\n# two <b>' },
    ];
    const document = plain(text(anEntry(), events));
    assert.match(document, /- 2026-01-01T12:00:01\.000Z: Started\./);
    assert.match(document, /: One # two <b>\n/);
    assert.doesNotMatch(plain(text(anEntry(), [])), /What happened/);
  });

  it('links nowhere but to a pull request that is safe to open', () => {
    const evil = '[x](command:run) <img src=x> ```\n# h';
    const document = text(
      anEnded(
        {
          status: 'completed',
          prLink: 'command:run',
          summary: evil,
          model: evil,
          repository: evil,
          branch: evil,
        },
        { prompt: evil, projectName: evil },
      ),
      [{ id: 1, type: 'progress', at: '2026-01-01T12:00:02Z', message: evil }],
    );
    const [, , ...rest] = document.split(/^````text$|^````$/m);
    assert.equal(rest.length, 1, 'the prompt stays in its fence');
    assert.doesNotMatch(rest.join(''), /(?<!\\)[[<]/);
    assert.doesNotMatch(document, /Pull request/);
  });
});

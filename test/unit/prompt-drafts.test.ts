import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { PromptDrafts } from '../../src/extension/prompt-drafts.ts';

function memento(): Memento {
  const values = new Map<string, unknown>();
  return {
    keys: () => [...values.keys()],
    get: (name: string) => values.get(name) as never,
    update: async (name: string, value: unknown) => {
      if (value === undefined) values.delete(name);
      else values.set(name, value);
    },
  };
}

const refused = async (): Promise<boolean> => {
  throw new Error('refused');
};

describe('drafts of prompts', () => {
  it('keep what could not be sent where it was typed', async () => {
    const drafts = new PromptDrafts(memento());
    await assert.rejects(drafts.keepUntilSent('Also in the guides', refused, { job: 'job-1' }), /refused/);
    assert.equal(drafts.find('job-1'), 'Also in the guides');
    assert.equal(drafts.find(), '');
    assert.equal(drafts.find('job-2'), '');
  });

  it('keep what the person decided not to send yet', async () => {
    const drafts = new PromptDrafts(memento());
    await drafts.keepUntilSent('Fix broken links', async () => false);
    assert.equal(drafts.find(), 'Fix broken links');
  });

  it('leave the next job’s draft alone when a follow-up is sent', async () => {
    const drafts = new PromptDrafts(memento());
    await drafts.keep('Half a thought');
    await drafts.keepUntilSent('Also in the guides', async () => true, { job: 'job-1' });
    assert.equal(drafts.find(), 'Half a thought');
    assert.equal(drafts.find('job-1'), '');
  });

  it('are there while the prompt is on its way, and leave nothing behind afterwards', async () => {
    const state = memento();
    const drafts = new PromptDrafts(state);
    let underWay = '';
    await drafts.keepUntilSent('Tidy Markdown', async () => {
      underWay = drafts.find();
      return true;
    });
    assert.equal(underWay, 'Tidy Markdown');
    assert.deepEqual(state.keys(), []);
  });

  it('bring back what another prompt was begun beside', async () => {
    const drafts = new PromptDrafts(memento());
    await drafts.keep('Half a thought');
    await drafts.keepUntilSent('Reused', async () => true, { earlier: drafts.find() });
    assert.equal(drafts.find(), 'Half a thought');
  });
});

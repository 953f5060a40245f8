import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { openEditorAgent } from '../../src/adapters/agents/model/open-agents.ts';
import { TellingWaits } from '../../src/adapters/agents/model/telling-waits.ts';
import {
  editorRequestSchema,
  type EditorModel,
  type EditorRequest,
} from '../../src/contract/editor-models.ts';
import type { AgentResult, AgentTask } from '../../src/service/ports/agent.ts';
import type { EditorAnswerParts, EditorModels, EditorSign } from '../../src/service/ports/editor-models.ts';
import { Redactor } from '../../src/service/redaction.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { PagesInMemory } from '../support/pages-in-memory.ts';
import { failsWith } from '../support/service-errors.ts';

type Request = Omit<EditorRequest, 'id'>;
type Answer = (
  signal: AbortSignal,
  onSign: (sign: EditorSign) => void,
) => EditorAnswerParts | Promise<EditorAnswerParts>;

const gpt: EditorModel = { id: 'copilot/gpt-5', name: 'GPT-5', vendor: 'copilot', maxInputTokens: 100_000 };

/** The editor's models, whose answers a test has written. They take what the contract lets through. */
class ScriptedEditor implements EditorModels {
  readonly requests: Request[] = [];
  readonly pages = new PagesInMemory();
  readonly cancel = new AbortController();
  /** What was told of the work. */
  readonly told: string[] = [];
  readonly #answers: Answer[];

  constructor(...answers: Answer[]) {
    this.#answers = answers;
  }

  list(): readonly EditorModel[] {
    return [gpt];
  }

  async ask(
    request: Request,
    signal: AbortSignal,
    onSign: (sign: EditorSign) => void,
  ): Promise<EditorAnswerParts> {
    this.requests.push(editorRequestSchema.omit({ id: true }).parse(request));
    const answer = this.#answers[this.requests.length - 1];
    assert.ok(answer !== undefined, 'one request too many');
    return answer(signal, onSign);
  }

  run(): Promise<AgentResult> {
    const agent = openEditorAgent({
      model: gpt,
      models: this,
      tools: this.pages,
      limits: {},
      redactor: new Redactor(),
    });
    assert.equal(agent.name, 'GPT-5 (copilot, in the editor)');
    return agent.run(this.task);
  }

  get task(): AgentTask {
    return {
      prompt: 'Say sign in.',
      earlier: [],
      directory: '/workspace',
      docsRoot: 'docs',
      outsideDocsRoot: false,
      signal: this.cancel.signal,
      onProgress: (message) => this.told.push(message),
    };
  }
}

const call = (name: string, input: Record<string, unknown>, callId = name): EditorAnswerParts[number] => ({
  type: 'tool-call',
  callId,
  name,
  input,
});

describe('a model of the editor', () => {
  it('works with tools like any other', async () => {
    const editor = new ScriptedEditor(
      (_, onSign) => {
        onSign('thinks');
        return [
          { type: 'text', text: 'I look.' },
          call('read_file', { path: 'docs/index.md' }),
          call('search', { query: 'log' }),
        ];
      },
      () => [call('write_file', { path: 'docs/index.md', content: 'Sign in.\n' })],
      () => [call('finish', { title: 'Say sign in', summary: 'Done.' })],
    );
    const result = await editor.run();
    assert.deepEqual(
      [result.title, result.summary, result.model],
      ['Say sign in', 'Done.', 'GPT-5 (copilot, in the editor)'],
    );
    assert.equal(editor.pages.pages.get('docs/index.md'), 'Sign in.\n');

    const [first, second] = editor.requests;
    assert.equal(first?.model, 'copilot/gpt-5');
    assert.deepEqual(
      first.messages.map(({ role }) => role),
      ['user'],
      'instructions are in the first message of the user',
    );
    assert.match(JSON.stringify(first.messages[0]), /What counts as an instruction.*Say sign in/);
    const tool = first.tools.find(({ name }) => name === 'read_file');
    assert.equal(tool?.inputSchema['type'], 'object');
    assert.deepEqual(
      second?.messages.map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
    const answers = second.messages[2]?.parts ?? [];
    assert.deepEqual(
      answers.map((part) => part.type === 'tool-result' && part.callId),
      ['read_file', 'search'],
    );
  });

  it('tells that there is no window for it at present, and when there is one again', async () => {
    const editor = new ScriptedEditor(
      async (_, onSign) => {
        onSign('waits');
        await setImmediate();
        onSign('thinks');
        onSign('thinks');
        return [call('read_file', { path: 'docs/index.md' })];
      },
      () => [call('finish', { title: 'Look', summary: 'Done.' })],
    );
    await editor.run();
    const waits = 'Waiting for an editor window with the model GPT-5';
    const again = 'A window with the model GPT-5 is there again';
    const told = editor.told.filter((message) => message === waits || message === again);
    assert.deepEqual(told, [waits, again]);
    assert.notEqual(editor.told.at(-1), again, 'the next request is told of');
  });

  it('is told of again when a request that waited was given up', async () => {
    const editor = new ScriptedEditor((_, onSign) => {
      onSign('waits');
      throw new Error('given up');
    });
    const telling = new TellingWaits(editor, 'GPT-5');
    const agent = telling.of({
      name: 'asks once',
      repairs: false,
      run: async ({ signal, onProgress }) => {
        onProgress('Thinking');
        const request = { model: gpt.id, messages: [], tools: [] };
        await assert.rejects(
          telling.ask(request, signal, () => onProgress('The model is answering')),
          /given up/,
        );
        onProgress('Asking again');
        return { title: '', summary: '' };
      },
    });
    await agent.run(editor.task);
    assert.deepEqual(editor.told, [
      'Thinking',
      'Waiting for an editor window with the model GPT-5',
      'Asking again',
    ]);
  });

  it('tells why the editor does not answer, in its own words and at once', async () => {
    const gone = new ServiceError('agent_unavailable', 'The window of the editor went away.');
    const editor = new ScriptedEditor(() => {
      throw gone;
    });
    await assert.rejects(editor.run(), (error) => error === gone);
    assert.equal(editor.requests.length, 1);

    const large = new ScriptedEditor(
      () => [call('read_file', { path: 'docs/index.md' })],
      () => {
        throw new ServiceError('context_too_large', 'Too much for the model of the editor.');
      },
      () => [{ type: 'text', text: 'Less was enough.' }],
    );
    large.pages.pages.set('docs/index.md', 'Long. '.repeat(20_000));
    assert.equal((await large.run()).summary, 'Less was enough.');
    assert.ok(JSON.stringify(large.requests[2]).length < JSON.stringify(large.requests[1]).length / 2);
  });

  it('hears of a cancelled job', async () => {
    const reason = new Error('cancelled');
    const editor = new ScriptedEditor((signal) => {
      const heard = Promise.withResolvers<EditorAnswerParts>();
      signal.addEventListener('abort', () => heard.reject(signal.reason as Error), { once: true });
      editor.cancel.abort(reason);
      return heard.promise;
    });
    await assert.rejects(editor.run(), (error) => error === reason);
  });

  it('is refused by name', async () => {
    const editor = new ScriptedEditor(() => {
      throw new ServiceError('model_refused', 'The editor refused this prompt.');
    });
    await assert.rejects(editor.run(), failsWith('model_refused', /editor refused/));
  });
});

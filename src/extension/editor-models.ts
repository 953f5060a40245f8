import * as vscode from 'vscode';
import type { EditorAnswer, EditorModel, EditorRequest } from '../contract/editor-models.ts';
import { agentIdSchema } from '../contract/agents.ts';
import { editorAgentId } from './agent-values.ts';
import { editorFailure } from './editor-model-errors.ts';
import { untilAborted } from './until-aborted.ts';
import { UserError } from './user-error.ts';

const mostModels = 100;

/** The language models that the editor has, whoever provides them. */
export class EditorModels {
  readonly #access: vscode.LanguageModelAccessInformation;

  constructor(access: vscode.LanguageModelAccessInformation) {
    this.#access = access;
  }

  /** None where the editor knows no language models: forks leave that part out. */
  async list(): Promise<readonly EditorModel[]> {
    const models = await allModels();
    return models.slice(0, mostModels).map(({ id, name, vendor, maxInputTokens }) => ({
      id,
      name: name.slice(0, 200) || id,
      vendor: vendor.slice(0, 100),
      maxInputTokens: Math.max(1, Math.floor(maxInputTokens) || 1),
    }));
  }

  readonly onDidChange = (listener: () => void): vscode.Disposable =>
    vscode.lm?.onDidChangeChatModels?.(() => listener()) ?? new vscode.Disposable(() => undefined);

  /**
   * Lets the editor ask the person whether Docs Agent may use a model, where it has not asked yet: only a
   * request makes it ask, and only where a person has just done something. Later the job's requests come
   * from the background.
   *
   * @throws UserError `editor_model_refused` when they do not want it, or the model gives no answer
   */
  async askConsent(id: string, signal: AbortSignal): Promise<void> {
    using cancelling = tokenOf(signal);
    try {
      const model = await find(id);
      if (this.#access.canSendRequest(model) === true) return;
      const question = vscode.LanguageModelChatMessage.User('Answer with the word OK.');
      const options = { justification: justification() };
      const response = await model.sendRequest([question], options, cancelling.token);
      // The beginning of an answer is proof enough.
      for await (const _part of response.stream) break;
    } catch (error) {
      const { code, message } = editorFailure(error);
      throw new UserError('editor_model_refused', refusalText(code, message), {
        remedies: ['chooseAgent'],
        cause: error,
      });
    }
  }

  /**
   * Answers one request of a job. `onProgress` is called whenever a piece of the answer has come. Settles when
   * the signal is aborted, also in editors that do not pass that on to whoever provides the model.
   */
  async answer(request: EditorRequest, signal: AbortSignal, onProgress: () => void): Promise<EditorAnswer> {
    using cancelling = tokenOf(signal);
    const ask = async (): Promise<EditorAnswer> => {
      const model = await find(request.model);
      const options: vscode.LanguageModelChatRequestOptions = {
        justification: justification(),
        ...(request.tools.length === 0
          ? {}
          : { tools: [...request.tools], toolMode: vscode.LanguageModelChatToolMode.Auto }),
      };
      const response = await model.sendRequest(request.messages.map(asMessage), options, cancelling.token);
      return { kind: 'done', parts: await partsOf(response.stream, onProgress) };
    };
    try {
      return await untilAborted(ask(), signal);
    } catch (error) {
      return editorFailure(error);
    }
  }
}

async function allModels(): Promise<readonly vscode.LanguageModelChat[]> {
  const models = (await vscode.lm?.selectChatModels?.()) ?? [];
  const byId = new Map<string, vscode.LanguageModelChat>();
  for (const model of models) {
    const isNameable = agentIdSchema.safeParse(editorAgentId(model.id)).success;
    if (isNameable && !byId.has(model.id)) byId.set(model.id, model);
  }
  return [...byId.values()];
}

async function find(id: string): Promise<vscode.LanguageModelChat> {
  const found = (await allModels()).find((model) => model.id === id);
  // Made here: forks may lack the editor's own class of errors.
  if (found === undefined) {
    throw Object.assign(new Error(`The editor has no model “${id}” now.`), { code: 'NotFound' });
  }
  return found;
}

function asMessage({ role, parts }: EditorRequest['messages'][number]): vscode.LanguageModelChatMessage {
  if (role === 'assistant') {
    return vscode.LanguageModelChatMessage.Assistant(
      parts.flatMap<vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart>((part) => {
        if (part.type === 'text') return [new vscode.LanguageModelTextPart(part.text)];
        if (part.type === 'tool-result') return [];
        return [new vscode.LanguageModelToolCallPart(part.callId, part.name, part.input)];
      }),
    );
  }
  return vscode.LanguageModelChatMessage.User(
    parts.flatMap<vscode.LanguageModelTextPart | vscode.LanguageModelToolResultPart>((part) => {
      if (part.type === 'text') return [new vscode.LanguageModelTextPart(part.text)];
      if (part.type === 'tool-call') return [];
      return [
        new vscode.LanguageModelToolResultPart(part.callId, [new vscode.LanguageModelTextPart(part.text)]),
      ];
    }),
  );
}

async function partsOf(
  stream: AsyncIterable<unknown>,
  onProgress: () => void,
): Promise<Extract<EditorAnswer, { kind: 'done' }>['parts']> {
  const parts: Extract<EditorAnswer, { kind: 'done' }>['parts'] = [];
  for await (const part of stream) {
    onProgress();
    const last = parts.at(-1);
    if (part instanceof vscode.LanguageModelTextPart) {
      if (last?.type === 'text') last.text += part.value;
      else parts.push({ type: 'text', text: part.value });
    } else if (part instanceof vscode.LanguageModelToolCallPart) {
      const input = part.input as Record<string, unknown>;
      parts.push({ type: 'tool-call', callId: part.callId, name: part.name, input });
    }
    // Newer editors tell of thoughts and data as well, which are nothing for a page.
  }
  return parts;
}

function refusalText(code: ReturnType<typeof editorFailure>['code'], message: string): string {
  switch (code) {
    case 'no_permission':
      return vscode.l10n.t('Docs Agent may not use this model. Choose it again to be asked once more.');
    case 'not_found':
      return vscode.l10n.t(
        'This model is not in the editor now: sign in to its provider, or choose another agent.',
      );
    default:
      return vscode.l10n.t('The model of the editor cannot be used: {0}', message);
  }
}

function justification(): string {
  return vscode.l10n.t('Docs Agent uses it for the jobs that you create with this model.');
}

/** VS Code's own kind of signal, for as long as a request takes. */
function tokenOf(signal: AbortSignal): Disposable & { readonly token: vscode.CancellationToken } {
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => source.cancel();
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  return {
    token: source.token,
    [Symbol.dispose]: () => {
      signal.removeEventListener('abort', cancel);
      source.dispose();
    },
  };
}

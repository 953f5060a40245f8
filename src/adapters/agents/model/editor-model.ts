import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { EditorModel, EditorRequest } from '../../../contract/editor-models.ts';
import type { EditorAnswerParts, EditorModels, EditorSign } from '../../../service/ports/editor-models.ts';

type Message = EditorRequest['messages'][number];
type Part = Message['parts'][number];

/** The editor does not count. */
const uncounted: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/**
 * A language model of the editor, as the library knows models: each request goes to a window of the editor and
 * its answer comes whole, with signs of life before it.
 */
export function editorLanguageModel(
  { id, name, vendor }: Pick<EditorModel, 'id' | 'name' | 'vendor'>,
  models: EditorModels,
): LanguageModelV4 {
  const ask = (
    options: LanguageModelV4CallOptions,
    onSign: (sign: EditorSign) => void,
  ): Promise<EditorAnswerParts> =>
    models.ask(requestOf(id, options), options.abortSignal ?? new AbortController().signal, onSign);
  return {
    specificationVersion: 'v4',
    provider: `editor.${vendor}`,
    modelId: id,
    supportedUrls: {},
    async doGenerate(options) {
      const parts = await ask(options, () => undefined);
      return {
        content: parts.map((part) =>
          part.type === 'text'
            ? { type: 'text', text: part.text }
            : {
                type: 'tool-call',
                toolCallId: part.callId,
                toolName: part.name,
                input: JSON.stringify(part.input),
              },
        ),
        finishReason: finishOf(parts),
        usage: uncounted,
        warnings: [],
      };
    },
    async doStream(options) {
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        async start(controller) {
          let over = false;
          controller.enqueue({ type: 'stream-start', warnings: [] });
          controller.enqueue({ type: 'response-metadata', modelId: name });
          try {
            const parts = await ask(options, () => {
              if (!over) controller.enqueue({ type: 'ping' });
            });
            for (const part of streamed(parts)) controller.enqueue(part);
            controller.enqueue({ type: 'finish', finishReason: finishOf(parts), usage: uncounted });
            controller.close();
          } catch (error) {
            controller.error(error);
          } finally {
            over = true;
          }
        },
      });
      return { stream };
    },
  };
}

function finishOf(parts: EditorAnswerParts): { unified: 'tool-calls' | 'stop'; raw: undefined } {
  return { unified: parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop', raw: undefined };
}

function* streamed(parts: EditorAnswerParts): Generator<LanguageModelV4StreamPart> {
  for (const [index, part] of parts.entries()) {
    if (part.type === 'text') {
      const id = String(index);
      yield { type: 'text-start', id };
      yield { type: 'text-delta', id, delta: part.text };
      yield { type: 'text-end', id };
    } else {
      yield {
        type: 'tool-call',
        toolCallId: part.callId,
        toolName: part.name,
        input: JSON.stringify(part.input),
      };
    }
  }
}

/** The same request in the editor's words: no system role, answers of tools in messages of the user. */
function requestOf(model: string, options: LanguageModelV4CallOptions): Omit<EditorRequest, 'id'> {
  const messages: { role: Message['role']; parts: Part[] }[] = [];
  for (const message of options.prompt) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = messages.at(-1);
    const parts = partsOf(message);
    // What the user says at once is one message, instructions too.
    if (last?.role === role) last.parts.push(...parts);
    else messages.push({ role, parts });
  }
  return {
    model,
    messages,
    tools: (options.tools ?? []).flatMap((tool) =>
      tool.type === 'function'
        ? [
            {
              name: tool.name,
              description: tool.description ?? '',
              inputSchema: tool.inputSchema as Record<string, unknown>,
            },
          ]
        : [],
    ),
  };
}

function partsOf(message: LanguageModelV4Message): Part[] {
  if (message.role === 'system') return [{ type: 'text', text: message.content }];
  return message.content.flatMap((part): Part[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text }];
      case 'tool-call':
        return [
          {
            type: 'tool-call',
            callId: part.toolCallId,
            name: part.toolName,
            input: (part.input ?? {}) as Record<string, unknown>,
          },
        ];
      case 'tool-result':
        return [{ type: 'tool-result', callId: part.toolCallId, text: textOf(part.output) }];
      default:
        // Reasoning and files: the editor takes neither, and this agent sends no files.
        return [];
    }
  });
}

function textOf(output: LanguageModelV4ToolResultPart['output']): string {
  return output.type === 'text' || output.type === 'error-text' ? output.value : JSON.stringify(output);
}

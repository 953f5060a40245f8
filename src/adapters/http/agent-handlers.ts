import type { Context } from 'hono';
import { agentSettingsSchema, modelProviderSchema } from '../../contract/agents.ts';
import { editorAnswerSchema, editorWindowSchema, type EditorNext } from '../../contract/editor-models.ts';
import type { AgentService } from '../../service/agent-service.ts';
import type { EditorModelBridge } from '../../service/editor-models.ts';
import type { AppDeps, Handlers, Lifecycle } from './app.ts';
import { readJson } from './request-body.ts';

/** What the routes need of the agents. */
export type AgentApi = Pick<AgentService, 'list' | 'handOver' | 'check'>;
export type EditorModelApi = Pick<EditorModelBridge, 'next' | 'answer'>;

/** Bytes. Some dozens of providers with some hundreds of models each. */
const maxSettingsBytes = 1024 * 1024;
/** Bytes. A model may write several whole pages in one answer. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** The routes of agents. What they are sent holds keys, and is neither logged nor answered. */
export function agentHandlers({
  agents,
  editorModels,
  lifecycle,
}: Pick<AppDeps, 'agents' | 'editorModels' | 'lifecycle'>): Handlers {
  return {
    listAgents: async (context) => Response.json(await agents.list(context.req.raw.signal)),
    putAgents: async (context) => {
      agents.handOver(await readJson(context.req.raw, agentSettingsSchema, maxSettingsBytes));
      return new Response(null, { status: 204 });
    },
    checkProvider: async (context) => {
      const provider = await readJson(context.req.raw, modelProviderSchema);
      return Response.json(await agents.check(provider, context.req.raw.signal));
    },
    nextEditorRequest: async (context) => {
      const window = await readJson(context.req.raw, editorWindowSchema);
      using until = untilStopping(context, lifecycle);
      const request = await editorModels.next(window, until.signal);
      return Response.json({ request: request ?? null } satisfies EditorNext);
    },
    answerEditorRequest: async (context) => {
      const answer = await readJson(context.req.raw, editorAnswerSchema, maxAnswerBytes);
      editorModels.answer(context.req.param('requestId') ?? '', answer);
      return new Response(null, { status: 204 });
    },
  };
}

/** Fires when whoever asks hangs up, or the service is on its way out. */
function untilStopping(
  context: Context,
  { stopping }: Lifecycle,
): Disposable & { readonly signal: AbortSignal } {
  const end = new AbortController();
  const onEnd = (): void => end.abort();
  const sources = [stopping, context.req.raw.signal];
  for (const source of sources) {
    if (source.aborted) end.abort();
    source.addEventListener('abort', onEnd, { once: true });
  }
  return {
    signal: end.signal,
    [Symbol.dispose]: () => {
      for (const source of sources) source.removeEventListener('abort', onEnd);
    },
  };
}

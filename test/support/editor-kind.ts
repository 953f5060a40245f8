import assert from 'node:assert/strict';
import { openEditorAgent } from '../../src/adapters/agents/model/open-agents.ts';
import { JobClient } from '../../src/client/job-client.ts';
import type { EditorAnswer, EditorRequest } from '../../src/contract/editor-models.ts';
import type { AgentStand } from './agent-conformance.ts';
import { registryOf, secrets, task } from './agent-parts.ts';
import { editorModel } from './agent-stand.ts';
import type { AgentWalk } from './agent-walk.ts';
import { turnsOf } from './model-deeds.ts';
import type { ModelTurn } from './scripted-turns.ts';
import { startServiceApp, testKey, testOrigin } from './service-app.ts';

/** A window of the editor that asks the service for work over its routes. It closes where the agent is to crash. */
export async function startEditor(walk: AgentWalk): Promise<AgentStand> {
  const app = await startServiceApp();
  const { editorModels, clock } = app.stand;
  const client = new JobClient({
    baseUrl: testOrigin,
    apiKey: testKey,
    fetch: (url, init) => app.fetch(url, init),
  });
  const closed = new AbortController();
  const stuck = Promise.withResolvers<string>();
  let answers: EditorAnswer[] = [];
  let asked = '';
  let isStuck = false;
  const window = { window: 'window-'.padEnd(36, '0'), models: [editorModel] };

  async function answer(request: EditorRequest): Promise<void> {
    asked += JSON.stringify(request);
    const next = answers.shift();
    if (next !== undefined) return client.answerEditorRequest(request.id, next);
    await client.answerEditorRequest(request.id, { kind: 'progress' });
    isStuck = true;
    stuck.resolve(request.id);
  }
  async function work(): Promise<void> {
    while (!closed.signal.aborted) {
      const request = await client.nextEditorRequest(window, { signal: closed.signal });
      if (request !== undefined && request !== null) await answer(request);
    }
  }
  const working = work().catch((error: unknown) => assert.ok(closed.signal.aborted, String(error)));
  const { registry } = registryOf(
    walk,
    {
      editor: async (model, limits) =>
        openEditorAgent({
          model,
          models: editorModels,
          tools: walk.tools,
          limits,
          redactor: walk.service.redactor,
        }),
    },
    editorModels,
    clock,
  );
  return {
    agents: registry,
    secrets,
    midway: async () => void (await stuck.promise),
    plays(deed) {
      answers = turnsOf(deed, walk.outside).flatMap(editorAnswer);
      if (deed === 'failure') answers = [{ kind: 'failed', code: 'no_permission', message: 'No.' }];
      if (deed === 'crashed') {
        void stuck.promise.then(async () => {
          closed.abort();
          // It is waited for as long as a window may take to come back.
          await clock.advance(10_000 + 120_000);
        });
      }
      return task;
    },
    async looked(deed) {
      for (const secret of [...secrets, 'hidden-value', 'root:']) {
        assert.ok(deed === 'leaks' || deed === 'obeys' || !asked.includes(secret), secret);
      }
      if (deed !== 'stuck' || !isStuck) return;
      // The model is told to stop as soon as it says something.
      const late = client.answerEditorRequest(await stuck.promise, { kind: 'progress' });
      await assert.rejects(late, /Nobody waits/);
    },
    async [Symbol.asyncDispose]() {
      closed.abort();
      await app[Symbol.asyncDispose]();
      await working;
    },
  };
}

function editorAnswer(turn: ModelTurn): EditorAnswer[] {
  if (turn.kind !== 'call') return [];
  const parts = turn.calls.map(({ name, input }, index) => ({
    type: 'tool-call' as const,
    callId: `call-${index}`,
    name,
    input: input as Record<string, unknown>,
  }));
  return [{ kind: 'done', parts }];
}

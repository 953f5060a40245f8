import assert from 'node:assert/strict';
import { languageModelOf } from '../../src/adapters/agents/model/language-model.ts';
import { createModelAgent } from '../../src/adapters/agents/model/model-agent.ts';
import type { ModelProvider } from '../../src/contract/agents.ts';
import type { AgentStand } from './agent-conformance.ts';
import { modelKey, registryOf, secrets, task } from './agent-parts.ts';
import type { AgentWalk } from './agent-walk.ts';
import { turnsOf } from './model-deeds.ts';
import { patientTimes, QuickClock } from './quick-clock.ts';
import { startScriptedModel } from './scripted-model.ts';
import type { ModelTurn } from './scripted-turns.ts';

/** A model at an endpoint that wants a key. A key that is wrong is its failure, a connection that breaks its crash. */
export function startModel(kind: ModelProvider['kind']) {
  return async (walk: AgentWalk): Promise<AgentStand> => {
    let turns: ModelTurn[] = [];
    const model = await startScriptedModel({
      key: modelKey,
      answersAs: 'docs-model-2026',
      script: (_, index) => turns[index] ?? { kind: 'break', after: 'Now' },
    });
    const { registry, settings } = registryOf(walk, {
      model: async (provider, name, limits) =>
        createModelAgent({
          provider: provider.name,
          model: languageModelOf(provider, name, fetch, walk.service.redactor),
          tools: walk.tools,
          limits,
          redactor: walk.service.redactor,
          // Its pauses are over at once.
          clock: new QuickClock(),
          times: patientTimes,
        }),
    });
    return {
      agents: registry,
      secrets: [...secrets, modelKey],
      midway: async () => void (await model.request(1)),
      plays(deed) {
        turns = turnsOf(deed, walk.outside);
        const apiKey = deed === 'failure' ? 'sk-of-somebody-else-0123456789' : modelKey;
        const provider = {
          id: 'scripted',
          name: 'Scripted',
          kind,
          baseUrl: model.url,
          models: ['docs-model'],
          apiKey,
        };
        settings.replace({ providers: [provider], commands: [], limits: {} });
        return task;
      },
      async looked(deed, _walk, told) {
        const { requests, refused } = model;
        assert.equal(refused.length, deed === 'failure' ? 1 : 0, 'a wrong key is tried once');
        if (deed === 'crashed')
          assert.ok(requests.length > 2 && told.some((one) => /asking again in/.test(one)));
        if (deed === 'stuck') await requests[1]?.left;
        const sent = JSON.stringify(requests.map(({ body }) => body));
        for (const secret of [modelKey, 'hidden-value', 'root:']) assert.ok(!sent.includes(secret), secret);
        for (const { system } of requests) assert.doesNotMatch(system, /New orders|Ignore the writer/);
      },
      [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
    };
  };
}

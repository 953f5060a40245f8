import type { ModelProvider, UsageLimits } from '../../../contract/agents.ts';
import type { EditorModel } from '../../../contract/editor-models.ts';
import type { Agent } from '../../../service/ports/agent.ts';
import type { EditorModels } from '../../../service/ports/editor-models.ts';
import type { PageTools } from '../../../service/ports/page-tools.ts';
import type { Redactor } from '../../../service/redaction.ts';
import { editorLanguageModel } from './editor-model.ts';
import { languageModelOf } from './language-model.ts';
import { createModelAgent } from './model-agent.ts';
import { TellingWaits } from './telling-waits.ts';

interface Common {
  readonly tools: PageTools;
  readonly limits: UsageLimits;
  readonly redactor: Redactor;
}

/**
 * The agent of a provider's model. Asks nothing yet.
 *
 * @param given `fetch` is this process's, through the proxy that it is to use
 * @throws ServiceError `model_authentication_failed` for a key that would travel in the clear
 */
export function openProviderAgent(
  given: Common & { readonly provider: ModelProvider; readonly model: string; readonly fetch: typeof fetch },
): Agent {
  const { provider, model, fetch, tools, limits, redactor } = given;
  return createModelAgent({
    provider: provider.name,
    model: languageModelOf(provider, model, fetch, redactor),
    tools,
    limits,
    price: provider.price,
    redactor,
  });
}

/** The agent of one of the editor's models. */
export function openEditorAgent(
  given: Common & { readonly model: EditorModel; readonly models: EditorModels },
): Agent {
  const { model, models, tools, limits, redactor } = given;
  const telling = new TellingWaits(models, model.name);
  const agent = createModelAgent({
    provider: `${model.vendor}, in the editor`,
    model: editorLanguageModel(model, telling),
    modelName: model.name,
    tools,
    limits,
    redactor,
    // Half of what it reads at once: our count of tokens is rough, and its answer needs room too.
    roomTokens: Math.floor(model.maxInputTokens / 2),
  });
  return telling.of(agent);
}

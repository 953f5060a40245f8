import { isModelName } from './agent-values.ts';
import { askChoice, askText, type StepPlace, type StepResult } from './multi-step.ts';
import * as vscode from 'vscode';
import { withoutIcons } from './plain-words.ts';
import { writingModels } from './provider-presets.ts';

/** Asks which of a provider's models is to write; by hand where it does not tell which it has. */
export async function askModel(
  place: StepPlace,
  provider: string,
  offered: readonly string[],
  before: string | undefined,
): Promise<StepResult<string>> {
  const models = writingModels(offered).filter(isModelName);
  if (models.length > 0) {
    const items = models.map((model) => ({ label: withoutIcons(model), model }));
    const other = { label: vscode.l10n.t('$(edit) Another model…'), model: undefined };
    const result = await askChoice<(typeof items)[number] | typeof other>(
      place,
      vscode.l10n.t('Which model of {0} should write? Type to search.', provider),
      [...items, other],
      items.find(({ model }) => model === before),
    );
    if (result.kind !== 'done') return result;
    if (result.value.model !== undefined) return { kind: 'done', value: result.value.model };
  }
  const typed = await askText(place, {
    prompt: vscode.l10n.t('Name of the model, as {0} calls it', provider),
    value: before ?? '',
    validate: (text) =>
      isModelName(text.trim())
        ? undefined
        : vscode.l10n.t('A model’s name is one word, as the provider’s list of models shows it.'),
  });
  return typed.kind === 'done' ? { kind: 'done', value: typed.value.trim() } : typed;
}

import type { ModelProvider } from '../contract/agents.ts';

/** A provider that the writer need not look up. */
export interface ProviderPreset {
  /** Also the provider's id in agents and settings. */
  readonly id: string;
  readonly name: string;
  readonly kind: ModelProvider['kind'];
  /** Empty: the writer knows it. */
  readonly baseUrl: string;
  /**
   * `fixed`: the provider's one address, which needs a key. `local`: a server of this machine, without a
   * key. `own`: an address and perhaps a key that only the writer knows.
   */
  readonly place: 'fixed' | 'local' | 'own';
}

const hosted = (
  id: string,
  name: string,
  baseUrl: string,
  kind: ModelProvider['kind'] = 'openai-compatible',
): ProviderPreset => ({ id, name, kind, baseUrl, place: 'fixed' });

const local = (id: string, name: string, port: number): ProviderPreset => ({
  id,
  name,
  kind: 'openai-compatible',
  baseUrl: `http://127.0.0.1:${port}/v1`,
  place: 'local',
});

/** Addresses and ports as the providers document them. */
export const providerPresets: readonly ProviderPreset[] = [
  hosted('openai', 'OpenAI', 'https://api.openai.com/v1'),
  hosted('anthropic', 'Anthropic', 'https://api.anthropic.com/v1', 'anthropic'),
  hosted('mistral', 'Mistral', 'https://api.mistral.ai/v1'),
  hosted('google', 'Google Gemini', 'https://generativelanguage.googleapis.com/v1beta/openai'),
  hosted('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1'),
  local('ollama', 'Ollama', 11_434),
  local('lm-studio', 'LM Studio', 1234),
  { ...local('vllm', 'vLLM', 8000), place: 'own' },
  { id: '', name: '', kind: 'openai-compatible', baseUrl: '', place: 'own' },
];

/** A model server of this machine that has been found running. */
export interface RunningServer {
  readonly preset: ProviderPreset;
  readonly models: readonly string[];
}

/** What runs on this machine comes first: it needs nothing more. */
export function presetsInOrder(running: readonly RunningServer[]): readonly ProviderPreset[] {
  const found = new Set(running.map(({ preset }) => preset));
  return [...found, ...providerPresets.filter((preset) => !found.has(preset))];
}

/** Words in the names of models that do not write: they make vectors, pictures, speech or verdicts. */
const notWriting =
  /(?:^|[^a-z])(?:embed|embedding|embeddings|whisper|tts|dall-e|image|imagen|moderation|transcribe|realtime|rerank|sora|veo)(?:[^a-z]|$)/i;

/** The models of a list that may write pages, in the order of a writer's alphabet. */
export function writingModels(models: readonly string[]): readonly string[] {
  return [...new Set(models)]
    .filter((model) => !notWriting.test(model))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true, sensitivity: 'base' }));
}

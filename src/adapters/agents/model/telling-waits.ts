import type { EditorModel } from '../../../contract/editor-models.ts';
import type { Agent } from '../../../service/ports/agent.ts';
import type { EditorModels } from '../../../service/ports/editor-models.ts';

/**
 * The editor's models as one agent asks them. While there is no window for its request, the agent tells that and
 * nothing else: a job that only waits must not seem to be at work.
 */
export class TellingWaits implements EditorModels {
  readonly #models: EditorModels;
  readonly #name: string;
  #waits = false;
  #tell: (message: string) => void = () => undefined;

  /** @param name of the model, for people */
  constructor(models: EditorModels, name: string) {
    this.#models = models;
    this.#name = name;
  }

  list(): readonly EditorModel[] {
    return this.#models.list();
  }

  readonly ask: EditorModels['ask'] = async (request, signal, onSign) => {
    try {
      return await this.#models.ask(request, signal, (sign) => {
        const waits = sign === 'waits';
        if (waits) this.#tell(`Waiting for an editor window with the model ${this.#name}`);
        else if (this.#waits) this.#tell(`A window with the model ${this.#name} is there again`);
        this.#waits = waits;
        onSign(sign);
      });
    } finally {
      this.#waits = false;
    }
  };

  /** The agent that asks them, for one run at a time. */
  of(agent: Agent): Agent {
    return {
      ...agent,
      run: (task) => {
        this.#tell = task.onProgress;
        const onProgress = (message: string): void => {
          if (!this.#waits) task.onProgress(message);
        };
        return agent.run({ ...task, onProgress });
      },
    };
  }
}

import type { EditorAnswer, EditorModel, EditorRequest } from '../../contract/editor-models.ts';

/** What a model of the editor said to one request. */
export type EditorAnswerParts = Extract<EditorAnswer, { kind: 'done' }>['parts'];

/** The language models of the editor, for as long as one of its windows asks for work. */
export interface EditorModels {
  /** Those of the windows that are there now. */
  list(): readonly EditorModel[];
  /**
   * One request, answered by a window.
   *
   * @param onProgress a sign of life while the model thinks
   * @throws ServiceError `agent_unavailable` when no window has this model, or the window went away;
   *   `model_refused`, `model_no_credit`, `model_not_found`, `agent_failed` for what the editor answered
   */
  ask(
    request: Omit<EditorRequest, 'id'>,
    signal: AbortSignal,
    onProgress: () => void,
  ): Promise<EditorAnswerParts>;
}

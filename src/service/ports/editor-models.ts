import type { EditorAnswer, EditorModel, EditorRequest } from '../../contract/editor-models.ts';

/** What a model of the editor said to one request. */
export type EditorAnswerParts = Extract<EditorAnswer, { kind: 'done' }>['parts'];

/**
 * A sign of life of a request: the model `thinks` (again), or there is no window with it at present, which is waited
 * for a while.
 */
export type EditorSign = 'thinks' | 'waits';

/** The language models of the editor, for as long as one of its windows asks for work. */
export interface EditorModels {
  /** Those of the windows that are there now. */
  list(): readonly EditorModel[];
  /**
   * One request, answered by a window.
   *
   * @throws ServiceError `agent_unavailable` when no window has this model, or the window went away;
   *   `model_refused`, `model_no_credit`, `model_not_found`, `agent_failed` for what the editor answered
   */
  ask(
    request: Omit<EditorRequest, 'id'>,
    signal: AbortSignal,
    onSign: (sign: EditorSign) => void,
  ): Promise<EditorAnswerParts>;
}

import type { EditorAnswer } from '../contract/editor-models.ts';
import { ServiceError } from './service-error.ts';

/** An extension's own sentence may be long. In characters. */
const longestSaid = 300;

/** The editor's refusal of one request, as a sentence for the writer. */
export function editorFailure(
  { code, message }: Extract<EditorAnswer, { kind: 'failed' }>,
  model: string,
): ServiceError {
  const cause = new Error(message);
  switch (code) {
    case 'no_permission':
      return new ServiceError(
        'agent_unavailable',
        `The editor does not let Docs Agent use the model ${model}. Allow it when the editor asks, or choose another agent.`,
        { cause },
      );
    case 'not_found':
      return new ServiceError(
        'model_not_found',
        `The editor does not have the model ${model} any more. Choose another agent.`,
        { cause },
      );
    case 'blocked':
      return new ServiceError(
        'model_refused',
        `The model ${model} or its provider refused to answer this. Say it in other words, or choose another agent.`,
        { cause },
      );
    case 'quota':
      return new ServiceError(
        'model_no_credit',
        `What the editor may use of the model ${model} is used up. Wait until there is more, or choose another agent.`,
        { cause },
      );
    case 'other':
      return new ServiceError(
        'agent_failed',
        `The editor’s model ${model} failed: ${said(message)} Try again, or choose another agent.`,
        { cause },
      );
  }
}

/** No window with this model came (back). */
export function windowGone(model: string): ServiceError {
  return new ServiceError(
    'agent_unavailable',
    `No window of the editor with the model ${model} is open any more, so the job could not go on. Open VS Code and ` +
      'send the prompt again.',
  );
}

export function editorSilent(model: string): ServiceError {
  return new ServiceError(
    'agent_failed',
    `The editor’s model ${model} has not answered for a long time. Try again, or choose another agent.`,
    { retryable: true },
  );
}

export function editorTooLarge(): ServiceError {
  return new ServiceError(
    'context_too_large',
    'The pages that the model asked for are too much for one request. Ask for less at a time, for example one folder.',
  );
}

/** Somebody else's words, as one sentence. */
function said(message: string): string {
  const line = message.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  if (line === '') return 'it gave no reason.';
  const short = line.length > longestSaid ? `${line.slice(0, longestSaid - 1).toWellFormed()}…` : line;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}

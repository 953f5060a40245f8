import type { EditorAnswer } from '../contract/editor-models.ts';

type Failure = Extract<EditorAnswer, { kind: 'failed' }>;

/** The names of the editor's own kinds of `LanguageModelError`, as its documentation lists them. */
const codes: Readonly<Record<string, Failure['code']>> = {
  NoPermissions: 'no_permission',
  NotFound: 'not_found',
  Blocked: 'blocked',
};

/** How providers say that nothing is left, for which the editor has no kind of its own. */
const quotaWords =
  /quota|rate.?limit|too many requests|\b429\b|limit (?:was |is |has been )?(?:reached|exceeded)/i;

const longestMessage = 500;

/** What a model of the editor threw, as the service is told of it. */
export function editorFailure(error: unknown): Failure {
  const told: string[] = [];
  let code: Failure['code'] = 'other';
  let next = error;
  for (let depth = 0; next instanceof Error && depth < 4; depth++) {
    const own = 'code' in next && typeof next.code === 'string' ? next.code : '';
    if (code === 'other') code = codes[own] ?? codes[next.name] ?? 'other';
    told.push(next.message);
    if (code === 'other' && quotaWords.test(`${own} ${next.message}`)) code = 'quota';
    next = next.cause;
  }
  const message =
    told.find((text) => text.trim() !== '')?.trim() ?? 'The model of the editor gave no answer.';
  return { kind: 'failed', code, message: message.slice(0, longestMessage) };
}

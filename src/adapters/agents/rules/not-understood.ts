import { ServiceError } from '../../../service/service-error.ts';

const abilities = `Without a model, Docs Agent can:
- replace "log in" with "sign in" (add: in guides/, except in guides/auth.md, match case, also inside words, also in code, also in front matter)
- fix broken links
- rename page guides/old to guides/new
- tidy Markdown
- apply terms (from a term list such as terms.csv, or Vale substitution rules)
Several of these in one prompt are done in order.`;

const connect =
  'For any other wish, choose a language model or an agent of your machine with the command "Docs Agent: Choose Agent…".';

/** The prompt, or a part of it, is nothing that works without a model. */
export function notUnderstood(clause: string, hint: string | undefined): ServiceError {
  const what = clause === '' ? 'The prompt is empty.' : `I did not understand: ${clause}`;
  return new ServiceError(
    'prompt_not_understood',
    [[what, hint].filter((each) => each !== undefined).join('\n'), abilities, connect].join('\n\n'),
  );
}

/** The prompt is understood, but something that it names is not there or not unique. */
export function notPossible(sentence: string): ServiceError {
  return new ServiceError('prompt_not_understood', `${sentence} Nothing was changed.`);
}

import type { ModelRequest } from './scripted-model.ts';
import type { ModelTurn, ScriptedCall } from './scripted-turns.ts';

/** What a scripted model writes for one prompt: the calls of its tools, then what it says of them. */
export interface WrittenAnswer {
  readonly prompt: RegExp;
  readonly calls: readonly ScriptedCall[];
  readonly says: string;
}

/**
 * A script for jobs that go to their ends: for the last prompt of a conversation the model makes the calls
 * one after the other, and then says its words.
 */
export function writerScript(answers: readonly WrittenAnswer[]): (request: ModelRequest) => ModelTurn {
  return ({ messages }) => {
    const asked = messages.findLastIndex(
      ({ role, text }) => role === 'user' && answers.some(({ prompt }) => prompt.test(text)),
    );
    const answer = answers.find(({ prompt }) => prompt.test(messages[asked]?.text ?? ''));
    if (answer === undefined) return { kind: 'say', text: 'Nothing of this is in the docs.' };
    const made = messages.slice(asked).flatMap(({ calls }) => calls).length;
    const call = answer.calls[made];
    return call === undefined ? { kind: 'say', text: answer.says } : { kind: 'call', calls: [call] };
  };
}

import assert from 'node:assert/strict';
import { knownAgents } from '../../src/adapters/agents/acp/known-agents.ts';
import { agentVariables, hostVariables } from '../../src/contract/service-variables.ts';
import { ownSecrets } from '../../src/service/own-secrets.ts';
import { Redactor } from '../../src/service/redaction.ts';
import { refusedSecrets } from '../../src/service/secrets-in-change.ts';

const key = 'sk-0123456789abcdef';

describe('the secrets of the environment of the service', () => {
  it('are all keys and tokens that it looks for or hands on', () => {
    const keys = [...knownAgents.values()].flatMap(({ keyVariables }) => keyVariables);
    const named = [...hostVariables, ...agentVariables].filter((name) =>
      /TOKEN|_PAT$|KEY|AUTH_CONTENT/.test(name),
    );
    assert.ok(keys.length > 3 && named.length > 15);
    for (const name of [...keys, ...named]) assert.deepEqual(ownSecrets({ [name]: key }), [key], name);
  });

  it('are also those of other programs, in sign-ins that are written as JSON too', () => {
    for (const name of ['COMPANY_SECRET', 'aws_secret_access_key', 'DB_PASSWORD', 'npm_config__authToken']) {
      assert.deepEqual(ownSecrets({ [name]: key }), [key], name);
    }
    const signIn = JSON.stringify({ one: { type: 'api', key }, two: [{ refresh: `${key}-2` }] });
    assert.deepEqual(ownSecrets({ OPENCODE_AUTH_CONTENT: signIn }), [key, `${key}-2`]);
    assert.deepEqual(ownSecrets({ OPENCODE_AUTH_CONTENT: `{"key":${key}` }), [`{"key":${key}`]);
  });

  it('are no paths, addresses, names and words, which would be blanked out of every page', () => {
    const harmless = {
      SSH_AUTH_SOCK: '/tmp/ssh-0123456789/agent.1',
      GIT_AUTHOR_NAME: 'Kim-of-the-documentation',
      KEYBOARD_LAYOUT: 'a-very-long-name-of-a-layout',
      GOOGLE_KEY: 'C:\\Users\\kim\\key-of-google.json',
      TOKEN: 'https://example.com/where/tokens/are',
      DB_PASSWORD: 'documentation',
      SECRET: 'a sentence that tells nothing at all',
      PATH: '/usr/local/bin:/usr/bin:/bin',
      API_KEY: undefined,
    };
    assert.deepEqual(ownSecrets(harmless), []);
  });
});

describe('a change with a secret in it', () => {
  const redactor = new Redactor();
  redactor.register(key);
  redactor.register('password1');
  const holds = (text: string): boolean => redactor.holds(text);
  const diff = (...lines: readonly string[]): string =>
    ['diff --git a/a.md b/a.md', '--- a/a.md', '+++ b/a.md', '@@ -1 +1 @@', ...lines, ''].join('\n');

  it('is refused by the names of its files, and never tells the secret', () => {
    const both = `${diff(`+x${key}y`)}${diff('+z').replaceAll('a.md', `${key}.md`)}`;
    const error = refusedSecrets(both, holds);
    assert.equal(error?.code, 'push_rejected');
    assert.match(error?.message ?? '', /into a\.md, a file name\. Nothing was pushed/);
    assert.ok(!error?.message.includes(key));
    assert.equal(error?.retryable, false);
  });

  it('is none when the secret goes away, stood there before, or is a word of a page', () => {
    for (const lines of [[`-${key}`], [` ${key}`], ['+password1'], ['+nothing']]) {
      assert.equal(refusedSecrets(diff(...lines), holds), undefined, lines.join());
    }
  });
});

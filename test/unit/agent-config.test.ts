import assert from 'node:assert/strict';
import { ConfigError, parseConfig } from '../../src/service/config.ts';

const key = 'sk-team-0123456789abcdef';
const team = {
  id: 'team',
  name: 'Team Gateway',
  kind: 'openai-compatible',
  baseUrl: 'https://models.example.com/v1',
  models: ['big', 'small'],
};
const command = { id: 'mine', name: 'Mine', command: '/opt/mine', args: ['--acp'] };

const parse = (agents: object, env: Record<string, string> = {}) =>
  parseConfig(JSON.stringify({ agents }), env).agents;

function refused(agents: object, env: Record<string, string> = {}): string {
  try {
    parse(agents, env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  assert.fail(`was accepted: ${JSON.stringify(agents)}`);
}

describe('The configuration of the agents', () => {
  it('takes the key of a provider from the environment', () => {
    const providers = [{ ...team, apiKeyVariable: 'TEAM_KEY' }];
    assert.deepEqual(parse({ providers }, { TEAM_KEY: ` ${key}\n` }).providers, [{ ...team, apiKey: key }]);
    assert.deepEqual(parse({ providers: [team] }).providers, [team]);
  });

  it('takes prices, commands, limits and the agent of jobs that ask for none', () => {
    const agents = {
      default: 'model:team/big',
      providers: [{ ...team, price: { input: 1.5, output: 6 } }],
      commands: [command],
      limits: { steps: 50, cost: 2 },
    };
    assert.deepEqual(parse(agents), {
      ...agents,
      handOver: true,
      commands: [{ ...command, passVariables: [] }],
    });
    for (const id of ['rules', 'acp:opencode', 'editor:copilot/gpt']) {
      assert.equal(parse({ default: id }).default, id);
    }
  });

  const wrong: readonly [string, object, RegExp][] = [
    ['a key in the file', { providers: [{ ...team, apiKey: key }] }, /apiKey/],
    [
      'a variable that is not set',
      { providers: [{ ...team, apiKeyVariable: 'NO_SUCH_KEY' }] },
      /agents\.providers\.0\.apiKeyVariable: The environment variable NO_SUCH_KEY is not set\./,
    ],
    [
      'a variable that every object has',
      { providers: [{ ...team, apiKeyVariable: 'constructor' }] },
      /constructor is not set/,
    ],
    [
      'a name that is no variable',
      { providers: [{ ...team, apiKeyVariable: 'a b' }] },
      /name of an environment variable/,
    ],
    ['Anthropic without a key', { providers: [{ ...team, kind: 'anthropic' }] }, /needs a key/],
    [
      'an address of no endpoint',
      { providers: [{ ...team, baseUrl: 'file:///etc' }] },
      /baseUrl: Invalid URL\./,
    ],
    ['an id that no agent could have', { providers: [{ ...team, id: 'My Team' }] }, /small letters, digits/],
    ['one id twice', { providers: [team, team] }, /providers: Each provider has an id of its own\./],
    ['one command twice', { commands: [command, command] }, /commands: Each command has an id of its own\./],
    ['an unknown setting', { model: 'big' }, /agents: Unrecognized key: "model"\./],
    ['a default that is no agent', { default: 'gpt-5' }, /default: This is no agent/],
    [
      'a default of no provider',
      { default: 'model:team/big' },
      /default: The default agent is a model of one/,
    ],
    [
      'a default that the provider does not have',
      { default: 'model:team/huge', providers: [team] },
      /default: The default agent/,
    ],
    ['a limit that is none', { limits: { steps: 0 } }, /limits\.steps: /],
  ];
  for (const [what, agents, message] of wrong) {
    it(`refuses ${what}, with the place`, () => {
      const sentence = refused(agents, { TEAM_KEY: key });
      assert.match(sentence, message);
      assert.ok(!sentence.includes(key));
    });
  }
});

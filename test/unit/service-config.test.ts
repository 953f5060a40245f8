import assert from 'node:assert/strict';
import { ConfigError, parseConfig } from '../../src/service/config.ts';

function refused(text: string | undefined, env: Record<string, string> = {}): string {
  try {
    parseConfig(text, env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    assert.equal(error.cause, undefined, 'a cause could quote the text, which holds tokens');
    return error.message;
  }
  assert.fail('was accepted');
}

describe('The configuration of the service', () => {
  it('needs no file', () => {
    assert.deepEqual(parseConfig(undefined, {}), {
      port: 0,
      idleMinutes: 10,
      concurrency: 2,
      stopSeconds: 20,
      hosts: {},
      jobs: { attempts: 3, branchPrefix: 'docs-agent/', outsideDocsRoot: false, pullRequest: {} },
      agents: { default: 'rules', handOver: true, providers: [], commands: [], limits: {} },
    });
  });

  it('takes hosts with their credentials, and a byte order mark', () => {
    const text = '\uFEFF{"hosts": {"git.example.com:8443": {"kind": "github", "token": "t0ken"}}}';
    assert.deepEqual(parseConfig(text, {}).hosts, {
      'git.example.com:8443': { kind: 'github', token: 't0ken' },
    });
  });

  it('lets the environment win over the file', () => {
    const env = { DOCS_AGENT_PORT: '4100', DOCS_AGENT_IDLE_MINUTES: '0.5' };
    const config = parseConfig('{"port": 4000, "idleMinutes": 3}', env);
    assert.equal(config.port, 4100);
    assert.equal(config.idleMinutes, 0.5);
  });

  it('takes an empty variable as none', () => {
    assert.equal(parseConfig('{"port": 4000}', { DOCS_AGENT_PORT: '' }).port, 4000);
  });

  const wrong: readonly [string, string, RegExp][] = [
    ['no JSON', '{"hosts": {"github.com": {"token": "s3cret-t0ken"', /config\.json is not valid JSON\.$/],
    ['a list', '[]', /must hold one JSON object/],
    ['null', 'null', /must hold one JSON object/],
    ['a port that is no number', '{"port": "http"}', /port: /],
    ['a port above the last one', '{"port": 70000}', /port: /],
    ['no minutes at all', '{"idleMinutes": 0}', /idleMinutes: This is more than zero minutes\./],
    ['an unknown setting', '{"idelMinutes": 5}', /idelMinutes/],
    ['a host with its scheme', '{"hosts": {"https://github.com": {}}}', /named like github\.com/],
    [
      'a branch prefix that git could take for an option',
      '{"jobs": {"branchPrefix": "--x"}}',
      /jobs\.branchPrefix: A branch prefix/,
    ],
    ['an author without an address', '{"author": {"name": "Kim"}}', /author\.email: /],
    [
      'an author who says more than a name',
      '{"author": {"name": "Kim <a@b.c>", "email": "a@b.c"}}',
      /author\.name: This is a name without < and >\./,
    ],
    [
      'an author of two lines',
      '{"author": {"name": "Kim", "email": "a@b.c\\nx"}}',
      /author\.email: This is an e-mail address\./,
    ],
    ['an unknown kind of host', '{"hosts": {"example.com": {"kind": "cvs"}}}', /hosts\.example\.com\.kind: /],
    [
      'a token that is no text',
      '{"hosts": {"example.com": {"token": 12345678}}}',
      /hosts\.example\.com\.token: /,
    ],
  ];
  for (const [what, text, sentence] of wrong) {
    it(`refuses ${what} in a sentence`, () => {
      const message = refused(text);
      assert.match(message, sentence);
      assert.match(message, /\.$/);
      assert.doesNotMatch(message, /s3cret-t0ken|12345678/);
    });
  }

  it('refuses a variable that is no number', () => {
    assert.match(refused(undefined, { DOCS_AGENT_IDLE_MINUTES: 'soon' }), /idleMinutes: /);
  });
});

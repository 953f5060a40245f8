import assert from 'node:assert/strict';
import { knownAgents } from '../../src/adapters/agents/acp/known-agents.ts';
import { gitEnvironment } from '../../src/adapters/git/environment.ts';
import { agentVariables } from '../../src/contract/service-variables.ts';
import { serviceEnvironment, type NetworkSettings } from '../../src/extension/service-environment.ts';

const plain: NetworkSettings = { proxy: undefined, noProxy: [], useProxy: true, systemCertificates: false };

describe('The environment of the local service', () => {
  it('holds what git, ssh and the service need, and nothing else of the editor', () => {
    const env = serviceEnvironment(
      {
        PATH: '/bin',
        HOME: '/home/a',
        SSH_AUTH_SOCK: '/run/agent',
        LC_CTYPE: 'de',
        GITHUB_TOKEN: 'token-of-the-host',
        DOCS_AGENT_HOME: '/portable',
        SOME_API_KEY: 'key-of-something',
        VSCODE_IPC_HOOK: '/run/code',
        GIT_DIR: '/elsewhere/.git',
        GIT_ASKPASS: '/code/askpass.sh',
        NODE_OPTIONS: '--require evil.js',
        LD_PRELOAD: '/evil.so',
        UNSET: undefined,
      },
      plain,
    );
    assert.deepEqual(Object.keys(env).sort(), [
      'DOCS_AGENT_HOME',
      'ELECTRON_RUN_AS_NODE',
      'GITHUB_TOKEN',
      'HOME',
      'LC_CTYPE',
      'PATH',
      'SSH_AUTH_SOCK',
    ]);
  });

  it('holds what sign-ins of git need, up to git itself', () => {
    const names = ['SSH_AUTH_SOCK', 'KRB5CCNAME', 'GNUPGHOME', 'DBUS_SESSION_BUS_ADDRESS', 'GIT_SSL_CAINFO'];
    const env = serviceEnvironment(Object.fromEntries(names.map((name) => [name, `/of/${name}`])), plain);
    const ofGit = gitEnvironment(env, 'user', '/empty', []);
    for (const name of names) assert.equal(ofGit[name], `/of/${name}`);
  });

  it('holds what the agents of the machine sign in with', () => {
    const needed = [...knownAgents.values()].flatMap(({ variables }) => variables);
    assert.deepEqual([...agentVariables].sort(), needed.sort());
    const env = serviceEnvironment(Object.fromEntries(needed.map((name) => [name, 'x'])), plain);
    for (const name of needed) assert.equal(env[name], 'x', name);
  });

  it('finds the names of Windows in any case', () => {
    const env = serviceEnvironment({ Path: 'C:\\bin', SystemRoot: 'C:\\Windows' }, plain);
    assert.equal(env['Path'], 'C:\\bin');
    assert.equal(env['SystemRoot'], 'C:\\Windows');
  });

  it('hands over the editor’s proxy, which stands above the environment’s', () => {
    const env = serviceEnvironment(
      { https_proxy: 'http://old:1', ALL_PROXY: 'socks://old', NO_PROXY: 'intranet' },
      { ...plain, proxy: 'http://proxy.example:8080', noProxy: ['*.corp.example'] },
    );
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']) {
      assert.equal(env[name], 'http://proxy.example:8080', name);
    }
    assert.equal(env['ALL_PROXY'], undefined);
    assert.equal(env['NO_PROXY'], 'intranet,*.corp.example,localhost,127.0.0.1,::1');
    assert.equal(env['no_proxy'], env['NO_PROXY']);
  });

  it('keeps the environment’s proxy where the editor has none, never for this machine', () => {
    const env = serviceEnvironment({ https_proxy: 'http://proxy:3128' }, plain);
    assert.equal(env['https_proxy'], 'http://proxy:3128');
    assert.equal(env['NO_PROXY'], 'localhost,127.0.0.1,::1');
  });

  it('has no proxy when the editor is told to use none', () => {
    const env = serviceEnvironment(
      { HTTPS_PROXY: 'http://proxy:1', no_proxy: 'a' },
      { ...plain, proxy: 'http://p:2', useProxy: false },
    );
    assert.deepEqual(Object.keys(env), ['ELECTRON_RUN_AS_NODE']);
  });

  it('takes no proxy that is not an address', () => {
    const env = serviceEnvironment({}, { ...plain, proxy: '--evil' });
    assert.deepEqual(Object.keys(env), ['ELECTRON_RUN_AS_NODE']);
  });

  it('uses the system’s certificates like the editor, unless the person said otherwise', () => {
    const settings = { ...plain, systemCertificates: true };
    assert.equal(serviceEnvironment({}, settings)['NODE_USE_SYSTEM_CA'], '1');
    assert.equal(serviceEnvironment({ NODE_USE_SYSTEM_CA: '0' }, settings)['NODE_USE_SYSTEM_CA'], '0');
  });
});

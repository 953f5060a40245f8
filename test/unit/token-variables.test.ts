import assert from 'node:assert/strict';
import { hostVariables } from '../../src/contract/service-variables.ts';
import { tokenFor, tokenUser } from '../../src/adapters/git/token-variables.ts';

const everything = {
  GITHUB_TOKEN: 'for-github',
  GH_ENTERPRISE_TOKEN: 'for-ghe',
  GH_HOST: 'ghe.example.org',
  GITLAB_TOKEN: 'for-gitlab',
  GITEA_TOKEN: 'for-gitea',
  GITEA_SERVER_URL: 'https://code.example.org/git',
  FORGEJO_TOKEN: 'for-forgejo',
  FORGEJO_SERVER_URL: 'https://codeberg.org',
  BITBUCKET_TOKEN: 'for-bitbucket',
  AZURE_DEVOPS_EXT_PAT: 'for-azure',
};

describe('a token of the environment', () => {
  const cases: [host: string, env: Record<string, string>, secret: string | undefined, username?: string][] =
    [
      ['github.com', everything, 'for-github', 'x-access-token'],
      ['ghe.example.org', everything, 'for-ghe', 'x-access-token'],
      ['gitlab.com', everything, 'for-gitlab', 'oauth2'],
      ['gitlab.example.org', everything, undefined],
      ['gitlab.example.org', { ...everything, GITLAB_HOST: 'gitlab.example.org' }, 'for-gitlab', 'oauth2'],
      ['gitlab.com', { ...everything, GITLAB_HOST: 'https://gitlab.example.org/' }, undefined],
      [
        'gitlab.example.org',
        { GITLAB_TOKEN: 't', CI_SERVER_URL: 'https://gitlab.example.org' },
        't',
        'oauth2',
      ],
      [
        'gitlab.example.org:8443',
        { GITLAB_TOKEN: 't', GITLAB_HOST: 'gitlab.example.org:8443' },
        't',
        'oauth2',
      ],
      ['gitlab.example.org:8443', { GITLAB_TOKEN: 't', GITLAB_HOST: 'gitlab.example.org' }, undefined],
      // A job's own token of GitLab may not open merge requests.
      ['gitlab.com', { CI_JOB_TOKEN: 't' }, undefined],
      ['code.example.org', everything, 'for-gitea', 'oauth2'],
      ['codeberg.org', everything, 'for-forgejo', 'oauth2'],
      ['codeberg.org', { GITEA_TOKEN: 't' }, undefined],
      ['gitea.com', { GITEA_TOKEN: 't' }, undefined],
      ['gitea.com', { GITEA_TOKEN: 't', GITEA_HOST: 'GITEA.com' }, 't', 'oauth2'],
      // The workflows of Gitea and Forgejo take GitHub's names.
      ['code.example.org', { GITHUB_TOKEN: 't', GITHUB_SERVER_URL: 'https://code.example.org' }, 't'],
      ['bitbucket.org', everything, 'for-bitbucket', 'x-token-auth'],
      [
        'bitbucket.org',
        { BITBUCKET_TOKEN: 'ATATT3x', BITBUCKET_USERNAME: '' },
        'ATATT3x',
        'x-bitbucket-api-token-auth',
      ],
      ['bitbucket.org', { BITBUCKET_TOKEN: 't', BITBUCKET_USERNAME: 'kim' }, 't', 'kim'],
      ['bitbucket.org', { BITBUCKET_TOKEN: 't', BITBUCKET_SERVER_URL: 'https://bb.example.org' }, undefined],
      ['bb.example.org', { BITBUCKET_TOKEN: 't', BITBUCKET_SERVER_URL: 'https://bb.example.org' }, 't'],
      ['dev.azure.com', everything, 'for-azure', 'docs-agent'],
      ['team.visualstudio.com', everything, 'for-azure'],
      ['visualstudio.com.evil.org', everything, undefined],
      ['dev.azure.com', { SYSTEM_ACCESSTOKEN: 't' }, undefined],
      [
        'dev.azure.com',
        { SYSTEM_ACCESSTOKEN: 't', SYSTEM_COLLECTIONURI: 'https://dev.azure.com/team/' },
        't',
      ],
      [
        'tfs.example.org',
        { SYSTEM_ACCESSTOKEN: 't', SYSTEM_COLLECTIONURI: 'https://tfs.example.org/tfs/' },
        't',
      ],
      ['github.com.evil.org', everything, undefined],
      ['evil.org', everything, undefined],
      ['', everything, undefined],
      ['gitlab.com', { GITLAB_TOKEN: '  ' }, undefined],
      ['gitlab.com', { GITLAB_TOKEN: 't', GITLAB_HOST: 'https://' }, undefined],
    ];
  for (const [host, env, secret, username] of cases) {
    it(`is ${secret ?? 'none'} for "${host}" of ${Object.keys(env).join(', ').slice(0, 60)}`, () => {
      const found = tokenFor(host, env);
      assert.equal(found?.secret, secret);
      if (username !== undefined) assert.equal(found?.username, username);
    });
  }

  it('is in variables that the editor hands on to the local service, all of them', () => {
    const read = new Set<string>();
    const env = new Proxy<Record<string, string>>(
      {},
      {
        get: (_, name) => {
          read.add(String(name));
          // A token is there, and nothing says for whom: so every variable that could is looked at.
          return /TOKEN$|_PAT$/.test(String(name)) ? 'x' : undefined;
        },
      },
    );
    tokenFor('nobody.example.org', env);
    read.add('BITBUCKET_USERNAME');
    assert.deepEqual([...read].sort(), [...hostVariables].sort());
  });

  it('names the variable it was in', () => {
    assert.equal(tokenFor('gitlab.com', { GITLAB_ACCESS_TOKEN: 't' })?.source, 'GITLAB_ACCESS_TOKEN');
  });

  it('has a user name for git by the kind of host', () => {
    assert.equal(tokenUser('git.example.org', 't', { 'git.example.org': { kind: 'gitlab' } }), 'oauth2');
    assert.equal(tokenUser('git.example.org', 't', {}), 'x-access-token');
  });
});

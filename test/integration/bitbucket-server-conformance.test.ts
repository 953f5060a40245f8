import { BitbucketServerHost } from '../../src/adapters/hosts/bitbucket/bitbucket-server-host.ts';
import { BitbucketServer } from '../support/bitbucket-server.ts';
import { describeCodeHost } from '../support/code-host-conformance.ts';

describeCodeHost('Bitbucket Data Center', {
  start: (folder) => BitbucketServer.start(folder),
  makeHost: (options) => new BitbucketServerHost(options),
  projectPath: 'DOCS/handbook',
  labels: false,
  reviewer: 'kim',
  titleLimit: 255,
  bodyLimit: 32_768,
  pushRefusals: [
    [
      'Branch refs/heads/docs-agent/x can only be modified through pull requests.\nCheck your branch permissions configuration with the project administrator. pre-receive hook declined',
      'push_rejected',
      /protected/,
    ],
    ['You can only push your own commits in this repository.', 'push_rejected', /commits of the account/],
  ],
  tellsPermission: true,
  tellsArchived: true,
  byHand: (branch) =>
    `/projects/DOCS/repos/handbook/pull-requests?create&sourceBranch=${encodeURIComponent(`refs/heads/${branch}`)}&targetBranch=refs%2Fheads%2Fmain`,
  signIn: /"Repository write".*BITBUCKET_TOKEN to it and BITBUCKET_SERVER_URL to http/,
});

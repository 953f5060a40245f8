import { BitbucketCloudHost } from '../../src/adapters/hosts/bitbucket/bitbucket-cloud-host.ts';
import { BitbucketCloudServer } from '../support/bitbucket-cloud-server.ts';
import { describeCodeHost } from '../support/code-host-conformance.ts';

describeCodeHost('Bitbucket Cloud', {
  start: (folder) => BitbucketCloudServer.start(folder),
  makeHost: (options) => new BitbucketCloudHost(options),
  projectPath: 'team/docs',
  labels: false,
  reviewer: 'kim',
  titleLimit: 255,
  bodyLimit: 250_000,
  pushRefusals: [
    [
      'You can only push your own commits in this repository.\nCommit 0123456 was committed by Docs Agent',
      'push_rejected',
      /commits of the account/,
    ],
    [
      'Permission denied to create branch docs-agent/x: pre-receive hook declined',
      'push_rejected',
      /protected/,
    ],
  ],
  tellsPermission: false,
  tellsArchived: false,
  byHand: (branch) =>
    `/team/docs/pull-requests/new?source=${encodeURIComponent(branch)}&dest=team%2Fdocs%3A%3Amain`,
  signIn: /repositories and pull requests.*BITBUCKET_TOKEN to it and BITBUCKET_SERVER_URL to http/,
});

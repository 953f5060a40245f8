import { GitHubCodeHost } from '../../src/adapters/hosts/github/github-code-host.ts';
import { describeCodeHost } from '../support/code-host-conformance.ts';
import { GitHubServer } from '../support/github-server.ts';

describeCodeHost('GitHub', {
  start: (folder) => GitHubServer.start(folder),
  makeHost: (options) => new GitHubCodeHost(options),
  projectPath: 'team/docs',
  labels: true,
  reviewer: 'kim',
  titleLimit: 256,
  bodyLimit: 65_536,
  tellsPermission: true,
  tellsArchived: true,
  template: '.github/pull_request_template.md',
  byHand: (branch) => `/team/docs/compare/main...${branch}?expand=1`,
  signIn: /"Contents" and "Pull requests".*GH_ENTERPRISE_TOKEN to it and GH_HOST to 127\.0\.0\.1:\d+ for/,
  pushRefusals: [
    [
      'error: GH013: Repository rule violations found for refs/heads/docs-agent/x.\n- Cannot create ref due to creations being restricted.',
      'push_rejected',
      /GH013/,
    ],
    ['error: GH003: Sorry, force-pushing to docs-agent/x is not allowed.', 'push_rejected', /GH003/],
    [
      'error: GH006: Protected branch update failed for refs/heads/docs-agent/x.',
      'push_rejected',
      /protected/,
    ],
    [
      'refusing to allow an OAuth App to create or update workflow `.github/workflows/x.yml` without `workflow` scope',
      'permission_denied',
      /"workflow"/,
    ],
  ],
});

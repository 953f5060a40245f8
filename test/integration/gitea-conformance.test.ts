import { GiteaCodeHost } from '../../src/adapters/hosts/gitea/gitea-code-host.ts';
import { describeCodeHost } from '../support/code-host-conformance.ts';
import { GiteaServer } from '../support/gitea-server.ts';

describeCodeHost('Gitea', {
  start: async (folder) => {
    const server = await GiteaServer.start(folder);
    server.labels.push({ id: 12, name: 'bot' });
    return server;
  },
  makeHost: (options) => new GiteaCodeHost(options),
  projectPath: 'team/docs',
  draftTitle: (title) => `WIP: ${title}`,
  labels: true,
  reviewer: 'kim',
  titleLimit: 255,
  bodyLimit: 1_000_000,
  pushRefusals: [
    ['Gitea: Not allowed to push to protected branch docs-agent/x', 'push_rejected', /protected|rule/],
  ],
  tellsPermission: true,
  tellsArchived: true,
  template: '.gitea/pull_request_template.md',
  byHand: (branch) => `/team/docs/compare/main...${branch}`,
  signIn: /"repository" and "issue".*GITEA_TOKEN to it and GITEA_SERVER_URL to http:\/\/127\.0\.0\.1:\d+ for/,
});

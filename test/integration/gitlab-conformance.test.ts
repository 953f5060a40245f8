import { GitLabCodeHost } from '../../src/adapters/hosts/gitlab/gitlab-code-host.ts';
import { describeCodeHost } from '../support/code-host-conformance.ts';
import { GitLabServer } from '../support/gitlab-server.ts';

describeCodeHost('GitLab', {
  start: (folder) => GitLabServer.start(folder),
  makeHost: (options) => new GitLabCodeHost(options),
  projectPath: 'group/sub.group/my-docs',
  draftTitle: (title) => `Draft: ${title}`,
  labels: true,
  reviewer: 'kim',
  titleLimit: 255,
  bodyLimit: 1_048_576,
  tellsPermission: true,
  tellsArchived: true,
  template: '.gitlab/merge_request_templates/Default.md',
  byHand: (branch) =>
    `/group/sub.group/my-docs/-/merge_requests/new?merge_request%5Bsource_branch%5D=${encodeURIComponent(branch)}&merge_request%5Btarget_branch%5D=main`,
  signIn: /scope "api".*GITLAB_TOKEN to it and GITLAB_HOST to 127\.0\.0\.1:\d+ for/,
  pushRefusals: [
    [
      "GitLab: Commit message does not follow the pattern '^[A-Z]+-[0-9]+: '",
      'push_rejected',
      /commit message.*pattern/i,
    ],
    [
      "GitLab: Branch name 'docs-agent/x' does not follow the pattern '^feature/'",
      'push_rejected',
      /branch name/i,
    ],
    [
      'GitLab: You are not allowed to push code to protected branches on this project.',
      'push_rejected',
      /protected/,
    ],
    ["GitLab: Author 'docs@example.org' is not a member of team", 'push_rejected', /only commits of|member/],
    [
      "GitLab: You cannot push commits for 'docs@example.org'. You can only push commits if the committer email is one of your own verified emails.",
      'push_rejected',
      /only commits of|verified/,
    ],
    ['GitLab: Commit must be signed with a GPG key', 'push_rejected', /signed/],
    ['GitLab: File name secret.pem was prohibited by the pattern "\\.pem$".', 'push_rejected', /push rule/i],
    ['GitLab: Something that nobody has heard of yet.', 'push_rejected', /rule/i],
  ],
});

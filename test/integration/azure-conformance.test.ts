import { AzureCodeHost } from '../../src/adapters/hosts/azure/azure-code-host.ts';
import { AzureServer } from '../support/azure-server.ts';
import { describeCodeHost } from '../support/code-host-conformance.ts';

describeCodeHost('Azure DevOps', {
  start: (folder) => AzureServer.start(folder),
  makeHost: (options) => new AzureCodeHost(options),
  projectPath: 'DefaultCollection/My Docs/hand book',
  labels: true,
  reviewer: 'kim',
  titleLimit: 400,
  bodyLimit: 4000,
  pushRefusals: [
    [
      'TF402455: Pushes to this branch are not permitted; you must use a pull request to update this branch.',
      'push_rejected',
      /policy of Azure DevOps/,
    ],
    [
      "TF401027: You need the Git 'CreateBranch' permission to perform this action.",
      'permission_denied',
      /may not contribute/,
    ],
  ],
  tellsPermission: false,
  tellsArchived: true,
  template: '.azuredevops/pull_request_template.md',
  byHand: (branch) =>
    `/DefaultCollection/My%20Docs/_git/hand%20book/pullrequestcreate?sourceRef=${encodeURIComponent(branch)}&targetRef=main`,
  signIn: /"Code \(read & write\)".*AZURE_DEVOPS_EXT_PAT to it and AZURE_DEVOPS_ORG_URL to http/,
});

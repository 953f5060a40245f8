/** Every command of the extension. A unit test compares this table with the manifest. */
export const commandIds = {
  createJob: 'docsAgent.createJob',
  createJobFromEditor: 'docsAgent.createJobFromEditor',
  submitPrompt: 'docsAgent.submitPrompt',
  followUp: 'docsAgent.followUp',
  reusePrompt: 'docsAgent.reusePrompt',
  watchJob: 'docsAgent.watchJob',
  showJob: 'docsAgent.showJob',
  openPullRequest: 'docsAgent.openPullRequest',
  copyPullRequestLink: 'docsAgent.copyPullRequestLink',
  copyJobId: 'docsAgent.copyJobId',
  cancelJob: 'docsAgent.cancelJob',
  archiveJob: 'docsAgent.archiveJob',
  forgetJob: 'docsAgent.forgetJob',
  refresh: 'docsAgent.refresh',
  setApiKey: 'docsAgent.setApiKey',
  removeApiKey: 'docsAgent.removeApiKey',
  chooseService: 'docsAgent.chooseService',
  chooseAgent: 'docsAgent.chooseAgent',
  setProjectId: 'docsAgent.setProjectId',
  showLog: 'docsAgent.showLog',
} as const;

export type CommandName = keyof typeof commandIds;

/**
 * Commands on one job. They take a `JobEntry`, an object that holds one as `entry`, or an `entryKey`
 * string; without an argument they ask which job is meant.
 */
export const jobCommandNames = [
  'followUp',
  'reusePrompt',
  'showJob',
  'openPullRequest',
  'copyPullRequestLink',
  'copyJobId',
  'cancelJob',
  'archiveJob',
  'forgetJob',
] as const satisfies readonly CommandName[];
export type JobCommandName = (typeof jobCommandNames)[number];

/** The views that the manifest contributes. */
export const viewIds = { container: 'docsAgent', jobs: 'docsAgent.jobs' } as const;

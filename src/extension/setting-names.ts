export const settingsSection = 'docsAgent';

/** Names below {@link settingsSection}. A unit test compares this table with the manifest. */
export const settingNames = {
  baseUrl: 'service.baseUrl',
  projectId: 'projectId',
  baseBranch: 'baseBranch',
  openPullRequest: 'openPullRequest',
  notifications: 'notifications',
  agent: 'agent',
  modelProviders: 'modelProviders',
  agentCommands: 'agentCommands',
  agentLimits: 'agentLimits',
  draft: 'pullRequest.draft',
  labels: 'pullRequest.labels',
  reviewers: 'pullRequest.reviewers',
} as const;

/** What an agent runs and where a page's text goes: only the user's own settings may say it. */
export const agentSettingNames = ['agent', 'modelProviders', 'agentCommands', 'agentLimits'] as const;

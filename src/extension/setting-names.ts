export const settingsSection = 'docsAgent';

/** Names below {@link settingsSection}. A unit test compares this table with the manifest. */
export const settingNames = {
  baseUrl: 'service.baseUrl',
  projectId: 'projectId',
  baseBranch: 'baseBranch',
  openPullRequest: 'openPullRequest',
  notifications: 'notifications',
} as const;

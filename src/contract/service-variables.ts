/**
 * Names of environment variables that the editor hands on to the local service beside the harmless ones: the
 * service looks there, and what it starts gets only what is its own. Tests compare the lists with what the
 * service really reads.
 */

/** Where Windows, its programs and a person's own files are: no program there starts without them. No secrets. */
export const windowsVariables: readonly string[] = [
  'SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC USERPROFILE USERNAME USERDOMAIN HOMEDRIVE HOMEPATH APPDATA',
  'LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 ALLUSERSPROFILE COMPUTERNAME',
].flatMap((line) => line.split(' '));

/** Tokens of code hosts, and which server each is for. */
export const hostVariables: readonly string[] = [
  'GITHUB_TOKEN',
  'GITHUB_SERVER_URL',
  'GH_TOKEN',
  'GH_HOST',
  'GH_ENTERPRISE_TOKEN',
  'GITHUB_ENTERPRISE_TOKEN',
  'GITLAB_TOKEN',
  'GITLAB_ACCESS_TOKEN',
  'GITLAB_HOST',
  'GL_HOST',
  'CI_SERVER_URL',
  'FORGEJO_TOKEN',
  'FORGEJO_SERVER_URL',
  'FORGEJO_URL',
  'FORGEJO_HOST',
  'GITEA_TOKEN',
  'GITEA_SERVER_URL',
  'GITEA_URL',
  'GITEA_HOST',
  'BITBUCKET_TOKEN',
  'BITBUCKET_ACCESS_TOKEN',
  'BITBUCKET_USERNAME',
  'BITBUCKET_SERVER_URL',
  'BITBUCKET_URL',
  'BITBUCKET_HOST',
  'AZURE_DEVOPS_EXT_PAT',
  'AZURE_DEVOPS_ORG_URL',
  'SYSTEM_ACCESSTOKEN',
  'SYSTEM_COLLECTIONURI',
  'SYSTEM_TEAMFOUNDATIONCOLLECTIONURI',
];

/** What the agents that people install sign in with, and where they keep their settings. */
export const agentVariables: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'ANTHROPIC_MODEL',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_EXECUTABLE',
  'CLAUDE_CONFIG_DIR',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'CODEX_API_KEY',
  'CODEX_HOME',
  'CODEX_PATH',
  'GEMINI_API_KEY',
  'GEMINI_MODEL',
  'GOOGLE_API_KEY',
  'GOOGLE_GEMINI_BASE_URL',
  'GOOGLE_CLOUD_PROJECT',
  'GOOGLE_CLOUD_LOCATION',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'OPENCODE_API_KEY',
  'OPENCODE_CONFIG',
  'OPENCODE_CONFIG_DIR',
  'OPENCODE_AUTH_CONTENT',
  'COPILOT_GITHUB_TOKEN',
  'COPILOT_HOME',
  'COPILOT_MODEL',
];

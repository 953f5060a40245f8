import type { AcpCommand } from '../../../contract/agents.ts';

/** What the service knows of an agent that it may find on the machine. Nothing of it is ever bundled. */
export interface KnownAgent {
  readonly id: string;
  readonly name: string;
  /** What speaks the protocol; the first one that is installed is taken. */
  readonly commands: readonly { readonly program: string; readonly args: readonly string[] }[];
  /** What its older versions called the same; tried when the program does not know the argument. */
  readonly olderArgs?: readonly string[];
  /** The plain program that speaks it only with an adapter beside it. */
  readonly plain?: { readonly program: string; readonly adapter: string };
  /** How to get it, as a command line for people. */
  readonly install: string;
  /** How a person signs in to it, as the rest of a sentence. */
  readonly signIn: string;
  /** Variables that it needs for its own sign-in or finds its settings by. Nothing else of the kind is passed. */
  readonly variables: readonly string[];
  /** Keys among them: with one of these it may be told to sign in with a key when it asks. */
  readonly keyVariables: readonly string[];
  /** Set for every run: no updates, no downloads, no statistics, no browser, its own sandbox on. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Told with each session, in its own words: more than the protocol has a field for. */
  readonly sessionMeta?: Readonly<Record<string, unknown>>;
  /** Of its modes, the one that asks before it does what matters; a person's settings may name another. */
  readonly mode?: string;
  /** Takes a password for the port that it opens on this machine: a new one for each run. */
  readonly passwordVariable?: string;
}

/**
 * What opencode may do without and with asking. Its own tools that run commands or reach out are off; an edit asks,
 * and with that goes through the service. As configuration and as `OPENCODE_PERMISSION`, which outranks it.
 */
const opencodePermission = {
  edit: 'ask',
  bash: 'deny',
  webfetch: 'deny',
  websearch: 'deny',
  codesearch: 'deny',
  external_directory: 'deny',
  doom_loop: 'deny',
};

const opencodeConfig = {
  permission: opencodePermission,
  autoupdate: false,
  share: 'disabled',
  // A tool that is refused is no reason to stop: the rest of the work can still be done.
  experimental: { continue_loop_on_deny: true },
};

const claude: KnownAgent = {
  id: 'claude',
  name: 'Claude Code',
  // The adapter had another name until 2026.
  commands: [
    { program: 'claude-agent-acp', args: [] },
    { program: 'claude-code-acp', args: [] },
  ],
  plain: { program: 'claude', adapter: 'npm install -g @agentclientprotocol/claude-agent-acp' },
  install: 'npm install -g @anthropic-ai/claude-code @agentclientprotocol/claude-agent-acp',
  signIn: 'run `claude` in a terminal and sign in',
  variables: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_MODEL',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_EXECUTABLE',
    'CLAUDE_CONFIG_DIR',
  ],
  keyVariables: ['ANTHROPIC_API_KEY'],
  fixed: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', NO_BROWSER: '1' },
  // The adapter hands these to Claude Code: no settings of the repository, no tools that run programs or reach out.
  sessionMeta: {
    claudeCode: {
      options: {
        settingSources: ['user'],
        disallowedTools: ['Bash', 'BashOutput', 'KillShell', 'PowerShell', 'WebFetch', 'WebSearch'],
      },
    },
  },
  mode: 'default',
};

const codex: KnownAgent = {
  id: 'codex',
  name: 'Codex',
  commands: [{ program: 'codex-acp', args: [] }],
  plain: { program: 'codex', adapter: 'npm install -g @agentclientprotocol/codex-acp' },
  install: 'npm install -g @openai/codex @agentclientprotocol/codex-acp',
  signIn: 'run `codex login` in a terminal',
  variables: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'OPENAI_BASE_URL', 'CODEX_HOME', 'CODEX_PATH'],
  keyVariables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  // Writes in the workspace only and asks for the rest.
  fixed: { INITIAL_AGENT_MODE: 'agent', NO_BROWSER: '1' },
  mode: 'agent',
};

const gemini: KnownAgent = {
  id: 'gemini',
  name: 'Gemini CLI',
  commands: [{ program: 'gemini', args: ['--acp'] }],
  olderArgs: ['--experimental-acp'],
  install: 'npm install -g @google/gemini-cli',
  signIn: 'run `gemini` in a terminal and sign in',
  variables: [
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_CLOUD_PROJECT',
    'GOOGLE_CLOUD_LOCATION',
    'GOOGLE_GENAI_USE_VERTEXAI',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'GEMINI_MODEL',
  ],
  keyVariables: ['GEMINI_API_KEY'],
  // Nothing that trust would let it load is left in the workspace, see `set-aside.ts`; without it, it may not start.
  fixed: { GEMINI_TELEMETRY_ENABLED: 'false', GEMINI_CLI_TRUST_WORKSPACE: 'true', NO_BROWSER: 'true' },
  mode: 'default',
};

const opencode: KnownAgent = {
  id: 'opencode',
  name: 'opencode',
  commands: [{ program: 'opencode', args: ['acp'] }],
  install: 'npm install -g opencode-ai',
  signIn: 'run `opencode auth login` in a terminal',
  variables: ['OPENCODE_API_KEY', 'OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR', 'OPENCODE_AUTH_CONTENT'],
  keyVariables: [],
  fixed: {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig),
    OPENCODE_PERMISSION: JSON.stringify(opencodePermission),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_SHARE: '1',
    // It installs the types of its plugins at each start; what is there already is enough to work with.
    npm_config_offline: 'true',
    // A repository's own configuration may name programs to start.
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  },
  passwordVariable: 'OPENCODE_SERVER_PASSWORD',
};

const copilot: KnownAgent = {
  id: 'copilot',
  name: 'GitHub Copilot CLI',
  commands: [{ program: 'copilot', args: ['--acp'] }],
  install: 'npm install -g @github/copilot',
  signIn: 'run `copilot` in a terminal and use its command /login',
  // Not GH_TOKEN and GITHUB_TOKEN, which it would take as well: they can push.
  variables: ['COPILOT_GITHUB_TOKEN', 'COPILOT_HOME', 'COPILOT_MODEL'],
  keyVariables: [],
  fixed: { COPILOT_AUTO_UPDATE: 'false' },
};

/** By id. A `Map`, because ids of other agents come from settings. */
export const knownAgents: ReadonlyMap<string, KnownAgent> = new Map(
  [claude, codex, gemini, opencode, copilot].map((agent) => [agent.id, agent]),
);

/** How a person signs in to this agent, as the rest of a sentence. */
export function signInHint(command: AcpCommand): string {
  return knownAgents.get(command.id)?.signIn ?? `start ${command.name} in a terminal and sign in there`;
}

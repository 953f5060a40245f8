import {
  type ClientContext,
  type InitializeResponse,
  methods,
  type NewSessionRequest,
  PROTOCOL_VERSION,
} from '@agentclientprotocol/sdk';
import type { AcpCommand } from '../../../contract/agents.ts';
import { isAuthRequired, needsSignIn, otherProtocol } from './agent-errors.ts';
import { knownAgents } from './known-agents.ts';
import { chooseMode, type OpenedSession, optionOf } from './session-mode.ts';
import { phrase } from './session-record.ts';

export interface OpenSession {
  readonly id: string;
  /** Whether the agent still knows what was said and done before. */
  readonly resumed: boolean;
  /** Whether it can be opened again by its id. */
  readonly lasting: boolean;
  /** The model's name, when the agent tells. */
  readonly model: string | undefined;
}

export interface SessionRequest {
  readonly command: AcpCommand;
  readonly env: NodeJS.ProcessEnv;
  readonly directory: string;
  /** Id of an earlier session. */
  readonly conversation: string | undefined;
  readonly version: string;
}

/** Ids that are worth keeping: short, and visible characters only. */
export const keepableId = /^[\x21-\x7e]{1,200}$/;

/** Greets an agent and opens a session: the earlier one where it can, else a new one. */
export async function openSession(agent: ClientContext, request: SessionRequest): Promise<OpenSession> {
  const { command, version } = request;
  const hello = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    // No terminal: what an agent runs there would be a program that nobody allowed.
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
    clientInfo: { name: 'docs-agent', title: 'Docs Agent', version },
  });
  if (hello.protocolVersion !== PROTOCOL_VERSION) throw otherProtocol(command, hello.protocolVersion);
  try {
    return await begin(agent, hello, request);
  } catch (error) {
    if (!isAuthRequired(error)) throw error;
    const methodId = keyMethod(hello, request);
    if (methodId === undefined) throw needsSignIn({ command }, error);
    await agent.request(methods.agent.authenticate, { methodId });
    return begin(agent, hello, request);
  }
}

/** The way to sign in that takes a key of the environment. Every other one would ask a person. */
function keyMethod(
  { authMethods }: InitializeResponse,
  { command, env }: SessionRequest,
): string | undefined {
  const hasKey = knownAgents.get(command.id)?.keyVariables.some((name) => env[name]);
  return hasKey ? authMethods?.find(({ id }) => /api[-_]?key/i.test(id))?.id : undefined;
}

async function begin(
  agent: ClientContext,
  { agentCapabilities }: InitializeResponse,
  { command, conversation, directory }: SessionRequest,
): Promise<OpenSession> {
  const resume = agentCapabilities?.sessionCapabilities?.resume != null;
  const lasting = resume || agentCapabilities?.loadSession === true;
  const { sessionMeta, mode } = knownAgents.get(command.id) ?? {};
  const place: NewSessionRequest = {
    cwd: directory,
    mcpServers: [],
    ...(sessionMeta !== undefined && { _meta: sessionMeta }),
  };
  const opened = async (id: string, resumed: boolean, told: OpenedSession): Promise<OpenSession> => {
    if (mode !== undefined) await chooseMode(agent, id, told, mode);
    return { id, resumed, lasting, model: modelIn(told) };
  };
  if (lasting && conversation !== undefined) {
    const params = { ...place, sessionId: conversation };
    const method = resume ? methods.agent.session.resume : methods.agent.session.load;
    try {
      return await opened(
        conversation,
        true,
        (await agent.request<OpenedSession | null>(method, params)) ?? {},
      );
    } catch (error) {
      // It has forgotten that session, or cannot take it to another folder: a new one is told what was before.
      if (isAuthRequired(error) || !(error instanceof Error && 'code' in error)) throw error;
    }
  }
  const session = await agent.request(methods.agent.session.new, place);
  return opened(session.sessionId, false, session);
}

/** Agents of before 2026 tell their model in a field of its own. */
interface OlderModels {
  readonly currentModelId?: unknown;
  readonly availableModels?: readonly { readonly modelId?: unknown; readonly name?: unknown }[];
}

function modelIn(opened: OpenedSession & { readonly models?: OlderModels | null }): string | undefined {
  const option = optionOf(opened, 'model');
  if (option !== undefined) {
    return named(option.choices.find(({ value }) => value === option.current)?.name ?? option.current);
  }
  const { models } = opened;
  const current = models?.currentModelId;
  return named(models?.availableModels?.find(({ modelId }) => modelId === current)?.name ?? current);
}

/** `Default` names no model. */
function named(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined;
  const text = phrase(name).slice(0, 80);
  return text === '' || /^(?:default|auto)\b/i.test(text) ? undefined : text;
}

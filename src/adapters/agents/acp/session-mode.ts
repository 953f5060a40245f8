import { type ClientContext, methods, type SessionConfigOption } from '@agentclientprotocol/sdk';

/** What an agent tells when a session is opened. Nobody has checked it. */
export interface OpenedSession {
  readonly modes?: {
    readonly currentModeId?: unknown;
    readonly availableModes?: readonly { readonly id?: unknown }[];
  } | null;
  readonly configOptions?: readonly SessionConfigOption[] | null;
}

/** Puts a session into a mode, where the agent has it and stands in another one. */
export async function chooseMode(
  agent: ClientContext,
  sessionId: string,
  opened: OpenedSession,
  mode: string,
): Promise<void> {
  const { modes } = opened;
  if (modes?.availableModes?.some(({ id }) => id === mode) && modes.currentModeId !== mode) {
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: mode });
    return;
  }
  const option = optionOf(opened, 'mode');
  if (
    option === undefined ||
    option.current === mode ||
    !option.choices.some(({ value }) => value === mode)
  ) {
    return;
  }
  await agent.request(methods.agent.session.setConfigOption, { sessionId, configId: option.id, value: mode });
}

export interface ChoiceOption {
  readonly id: string;
  readonly current: string;
  readonly choices: readonly { readonly value: string; readonly name: string }[];
}

/** The session's setting of a category that is chosen from a list. */
export function optionOf({ configOptions }: OpenedSession, category: string): ChoiceOption | undefined {
  if (!Array.isArray(configOptions)) return undefined;
  const options = configOptions as readonly SessionConfigOption[];
  const option = options.find((entry) => entry.category === category);
  if (option?.type !== 'select') return undefined;
  const choices = option.options.flatMap((choice) => ('options' in choice ? choice.options : [choice]));
  return { id: option.id, current: option.currentValue, choices };
}

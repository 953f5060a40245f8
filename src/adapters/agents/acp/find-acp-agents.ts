import type { AcpCommand, AgentInfo } from '../../../contract/agents.ts';
import { findProgram, type Machine } from './find-program.ts';
import { type KnownAgent, knownAgents } from './known-agents.ts';

/** An agent that the machine has or could have. */
export interface FoundAcpAgent {
  readonly info: AgentInfo;
  /** What to hand to `createAcpAgent`; for an agent that is not ready, what it would be. */
  readonly command: AcpCommand;
}

/**
 * The agents that speak the Agent Client Protocol: the known ones, and those of the settings, which come first
 * and replace a known one of the same id. Only looks at files; nothing is started, so whether an agent is signed
 * in shows at its first run.
 */
export function findAcpAgents(machine: Machine, commands: readonly AcpCommand[] = []): FoundAcpAgent[] {
  const own = new Set(commands.map(({ id }) => id));
  return [
    ...commands.map((command) => fromSettings(command, machine)),
    ...[...knownAgents.values()].filter(({ id }) => !own.has(id)).map((agent) => known(agent, machine)),
  ];
}

function fromSettings(command: AcpCommand, machine: Machine): FoundAcpAgent {
  const found = findProgram(command.command, machine);
  return {
    command,
    info: info(
      command,
      found.kind === 'found',
      found.kind === 'found'
        ? `Runs ${found.program.file} on this machine.`
        : whyNot(found.kind, command, 'Install it or correct the setting.'),
    ),
  };
}

function known(agent: KnownAgent, machine: Machine): FoundAcpAgent {
  const candidates = agent.commands.map(({ program, args }): AcpCommand => {
    const { id, name } = agent;
    return { id, name, command: program, args: [...args], passVariables: [] };
  });
  const looked = candidates.map((command) => ({ command, found: findProgram(command.command, machine) }));
  for (const { command, found } of looked) {
    if (found.kind === 'found') {
      const where = `Runs ${found.program.file} on this machine, with its own sign-in.`;
      return { command, info: info(command, true, where) };
    }
  }
  const [{ command, found } = missing(agent)] = looked;
  const { plain } = agent;
  const onlyPlain = plain !== undefined && findProgram(plain.program, machine).kind === 'found';
  const what = onlyPlain
    ? `${agent.name} is installed, but not its adapter for the Agent Client Protocol. Run \`${plain.adapter}\` in a terminal.`
    : whyNot(found.kind, command, `Run \`${agent.install}\` in a terminal.`);
  return { command, info: info(command, false, what) };
}

/** Only to say that a known agent has at least one command. */
function missing({ name }: KnownAgent): never {
  throw new Error(`${name} has no command.`);
}

function info({ id, name }: AcpCommand, ready: boolean, detail: string): AgentInfo {
  return { id: `acp:${id}`, kind: 'acp', name, ready, detail };
}

/** Why a command cannot be started, and what to do. */
export function whyNot(kind: 'found' | 'missing' | 'unusable', command: AcpCommand, todo: string): string {
  return kind === 'unusable'
    ? `${command.name} was found as a script that only a command prompt can run. Name its program itself in the settings.`
    : `${command.name} was not found on this machine. ${todo}`;
}

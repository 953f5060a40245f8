import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { methods, type StopReason } from '@agentclientprotocol/sdk';
import type { AcpCommand } from '../../../contract/agents.ts';
import type { Agent, AgentResult, AgentTask } from '../../../service/ports/agent.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { agentEnvironment, type AgentRun } from './agent-environment.ts';
import { asksOnAndOn, needsSignIn } from './agent-errors.ts';
import { AgentProcess, type AgentTimes, defaultAgentTimes } from './agent-process.ts';
import { clientSide } from './client-side.ts';
import { whyNot } from './find-acp-agents.ts';
import { findProgram, type Machine, type Program } from './find-program.ts';
import { knownAgents } from './known-agents.ts';
import { newMarker } from './left-agents.ts';
import { messageStream } from './message-stream.ts';
import { keepableId, openSession } from './open-session.ts';
import { phrase, readReport, SessionRecord } from './session-record.ts';
import { setAside } from './set-aside.ts';
import { Talk } from './talk.ts';
import { taskText } from './task-text.ts';
import { WorkspaceWatch } from './workspace-watch.ts';

export interface AcpAgentDeps {
  readonly machine: Machine;
  /** The service's data folder: running agents are written down below it, see `left-agents.ts`. */
  readonly folder: string;
  /** Blanks out secrets. */
  readonly redact: (text: string) => string;
  /** Of Docs Agent. */
  readonly version: string;
  readonly times?: AgentTimes;
}

/** Characters that are looked at of what becomes a phrase. */
const longestTold = 10_000;
/** Refusals that the pull request tells of one by one. */
const toldRefusals = 5;
/** Refusals after which an agent is taken for one that does nothing else. */
const mostRefusals = 300;

/**
 * An agent of the user's own machine that speaks the Agent Client Protocol over its standard streams. It is
 * started for each run and ended with all that it started, whatever the end is.
 *
 * Its runs throw `agent_unavailable` (not there, ends at once, does not answer), `model_authentication_failed`,
 * `model_refused`, `usage_limit`, `agent_failed`, `protected_path`, what its provider refused by name, or the
 * signal's reason.
 */
export function createAcpAgent(command: AcpCommand, deps: AcpAgentDeps): Agent {
  return { name: command.name, repairs: true, run: (task) => runAgent(command, deps, task) };
}

async function runAgent(command: AcpCommand, deps: AcpAgentDeps, task: AgentTask): Promise<AgentResult> {
  const found = findProgram(command.command, deps.machine);
  if (found.kind !== 'found') {
    const { install } = knownAgents.get(command.id) ?? {};
    const todo = install === undefined ? 'Correct the setting.' : `Run \`${install}\` in a terminal.`;
    throw new ServiceError('agent_unavailable', whyNot(found.kind, command, todo));
  }
  const directory = await realpath(task.directory);
  const watch = await WorkspaceWatch.begin(directory);
  const result = await converse(command, found.program, directory, deps, task);
  const removed = await watch.end();
  if (removed.length === 0) return result;
  const names = removed.slice(0, toldRefusals).map((name) => `\`${name.replaceAll('`', '')}\``);
  const more = removed.length > toldRefusals ? ` and ${removed.length - toldRefusals} more` : '';
  const note = `Links and special files that the agent made were removed: ${names.join(', ')}${more}.`;
  return { ...result, summary: `${result.summary}\n\n${note}` };
}

async function converse(
  command: AcpCommand,
  program: Program,
  directory: string,
  deps: AcpAgentDeps,
  task: AgentTask,
): Promise<AgentResult> {
  await using _aside = await setAside(directory);
  const attempt = (args: readonly string[]): Promise<AgentResult> =>
    oneRun({ ...command, args: [...args] }, program, directory, deps, task);
  try {
    return await attempt(command.args);
  } catch (error) {
    const older = knownAgents.get(command.id)?.olderArgs;
    const unknown = error instanceof ServiceError && /unknown (?:argument|option)/i.test(error.message);
    if (older === undefined || !unknown || error.code !== 'agent_unavailable') throw error;
    return await attempt(older);
  }
}

async function oneRun(
  command: AcpCommand,
  program: Program,
  directory: string,
  deps: AcpAgentDeps,
  task: AgentTask,
): Promise<AgentResult> {
  const { times = defaultAgentTimes, machine } = deps;
  const run: AgentRun = { command, program, machine, directory, marker: newMarker() };
  const env = agentEnvironment(run);
  const redact = blankingOut(env, command, deps.redact);
  // Blanked out before it is cut: a piece of a key would not be known any more.
  const short = (text: string): string =>
    phrase(withoutFolder(redact(text.slice(0, longestTold)), directory));
  const onProgress = (message: string): void => task.onProgress(short(message));
  const record = new SessionRecord(onProgress);
  const refusals: string[] = [];
  const stubborn = new AbortController();
  task.signal.throwIfAborted();

  await using agent = new AgentProcess(run, env, deps.folder, times);
  const place = { directory, docsRoot: task.docsRoot, outsideDocsRoot: task.outsideDocsRoot };
  const onRefusal = (what: string): void => {
    if (refusals.length >= mostRefusals) stubborn.abort(asksOnAndOn(command));
    else refusals.push(short(what));
    onProgress(`Refused: ${what}`);
  };
  const app = clientSide({ place, record, onRefusal, onProgress });
  const connection = app.connect(messageStream(agent.stdin, agent.stdout));
  const signal = AbortSignal.any([task.signal, stubborn.signal]);
  const talk = new Talk(agent, connection, command, redact, times, signal);

  const { conversation } = task;
  const session = await talk.begin((context) =>
    openSession(context, { command, env, directory, conversation, version: deps.version }),
  );
  record.listen();
  const text = taskText(task, directory, session.resumed);
  const answer = await talk.goOn((context) =>
    context.request(methods.agent.session.prompt, {
      sessionId: session.id,
      prompt: [{ type: 'text', text }],
    }),
  );
  task.signal.throwIfAborted();
  const report = redact(record.report);
  checkStop(answer.stopReason, command);
  // One agent answers like this, in an ordinary message, when nobody is signed in.
  if (report.length < 300 && /\/login\b/.test(report)) throw needsSignIn({ command });
  // Lets it write its session down; whatever is left of it then is ended.
  agent.stdin.end();
  await agent.endsSoon();

  const { title, summary } = readReport(report);
  return {
    title,
    summary: (summary || `${command.name} did not say what it did.`) + refused(refusals),
    ...(session.model !== undefined && { model: `${command.name} (${session.model})` }),
    ...(session.lasting && keepableId.test(session.id) && { conversation: session.id }),
  };
}

function checkStop(reason: StopReason, { name }: AcpCommand): void {
  switch (reason) {
    case 'end_turn':
      return;
    case 'refusal':
      throw new ServiceError(
        'model_refused',
        `${name} refused to do this. Say it in other words, or choose another agent.`,
      );
    case 'max_tokens':
    case 'max_turn_requests':
      throw new ServiceError(
        'usage_limit',
        `${name} reached its own limit before it was done. Nothing was changed. Ask for less at a time.`,
      );
    case 'cancelled':
      throw new ServiceError('agent_failed', `${name} stopped by itself. Nothing was changed. Try again.`);
    default:
      // A newer agent may know more reasons; what it did stands in the files and is checked like any other work.
      return;
  }
}

/** Nobody wants to read where the workspace lies. Some agents cut a path's first slash off. */
function withoutFolder(text: string, directory: string): string {
  const folder = `${directory}${path.sep}`;
  return text.replaceAll(folder, '').replaceAll(folder.replace(/^\//, ''), '');
}

/** Also the agent's own keys, which only it was given. */
function blankingOut(
  env: NodeJS.ProcessEnv,
  { id, passVariables }: AcpCommand,
  redact: (text: string) => string,
): (text: string) => string {
  const names = [...(knownAgents.get(id)?.variables ?? []), ...passVariables];
  const secrets = names
    .filter((name) => /key|token|secret|password|credential|auth/i.test(name))
    .flatMap((name) => env[name] ?? [])
    .filter((value) => value.length >= 8);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), redact(text));
}

function refused(refusals: readonly string[]): string {
  if (refusals.length === 0) return '';
  const shown = [...new Set(refusals)].slice(0, toldRefusals).map((what) => `- ${what}`);
  const more = refusals.length > shown.length ? [`- … ${refusals.length} in all`] : [];
  return `\n\nThe agent asked for things that Docs Agent does not allow:\n\n${[...shown, ...more].join('\n')}`;
}

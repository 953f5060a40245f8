/**
 * A process that speaks the Agent Client Protocol as an agent and does what its script says. The script comes as
 * JSON in the only argument, see `acp-steps.ts`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  agent,
  type AgentContext,
  methods,
  ndJsonStream,
  RequestError,
  type RequestPermissionRequest,
  type ToolKind,
} from '@agentclientprotocol/sdk';
import type { AcpScript, AcpStep } from './acp-steps.ts';

const script = JSON.parse(process.argv[2] ?? '{}') as AcpScript;
const never = (): Promise<never> => new Promise(() => setInterval(() => {}, 1_000_000));

if (script.refuses !== undefined && process.argv.includes(script.refuses)) {
  process.stderr.write(`Usage: agent\n\nUnknown argument: ${script.refuses}\n`);
  process.exit(1);
}
if (script.ends !== undefined) {
  process.stderr.write(`${script.ends}\n`);
  process.exit(3);
}
if (script.mute) await never();

let signedIn = script.signIn === undefined;
let directory = process.cwd();
let known: string[] = [];
let mode = script.mode;
let meta: unknown;

interface Turn {
  readonly context: AgentContext;
  readonly sessionId: string;
  readonly heard: string;
}

const say = (turn: Turn, text: string, messageId?: string): Promise<void> =>
  turn.context.notify(methods.client.session.update, {
    sessionId: turn.sessionId,
    update: {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text },
      ...(messageId !== undefined && { messageId }),
    },
  });

let calls = 0;
const tool = (turn: Turn, title: string): Promise<void> =>
  turn.context.notify(methods.client.session.update, {
    sessionId: turn.sessionId,
    update: { sessionUpdate: 'tool_call', toolCallId: `call ${(calls += 1)}`, title, kind: 'other' },
  });

/** Does one step; answers why the turn stops, if it does. */
async function take(step: AcpStep, turn: Turn): Promise<'end_turn' | AcpStep['reason'] | undefined> {
  const { context, sessionId } = turn;
  const file = path.resolve(directory, step.path ?? '');
  switch (step.do) {
    case 'say':
      await say(turn, step.text ?? '', step.id);
      return undefined;
    case 'tool':
      await tool(turn, step.text ?? '');
      return undefined;
    case 'plan':
      await context.notify(methods.client.session.update, {
        sessionId,
        update: {
          sessionUpdate: 'plan',
          entries: [{ content: step.text ?? '', priority: 'medium', status: 'in_progress' }],
        },
      });
      return undefined;
    case 'write':
    case 'read': {
      const told = await access(step, file, turn);
      await tool(turn, `${step.do} ${step.path}: ${told}`);
      return undefined;
    }
    case 'ask': {
      const request: RequestPermissionRequest = {
        sessionId,
        toolCall: {
          toolCallId: 'asked',
          title: step.text ?? 'A tool',
          ...(step.kind !== undefined && { kind: step.kind as ToolKind }),
          ...(step.path !== undefined && { locations: [{ path: file }] }),
          ...(step.input !== undefined && { rawInput: step.input }),
        },
        options: (step.options ?? ['allow_always', 'allow_once', 'reject_once']).map((kind) => ({
          kind,
          optionId: `id of ${kind}`,
          name: kind,
        })),
      };
      const { outcome } = await context.request(methods.client.session.requestPermission, request);
      await tool(
        turn,
        `${step.text}: ${outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome}`,
      );
      return undefined;
    }
    case 'write itself':
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, step.text ?? '');
      return undefined;
    case 'link':
      rmSync(file, { force: true });
      symlinkSync(step.text ?? '', file);
      return undefined;
    case 'hard link':
      linkSync(step.text ?? '', file);
      return undefined;
    case 'stop':
      return step.reason;
    case 'fail':
      throw new RequestError(step.code ?? -32603, step.text ?? 'Internal error', step.input);
    case 'exit':
      process.stderr.write(`${step.text ?? ''}\n`);
      return process.exit(step.code ?? 1);
    case 'hang':
      await tool(turn, 'hanging');
      return never();
    case 'junk':
      process.stdout.write(step.text ?? '');
      return undefined;
    case 'spill':
      return spill();
    case 'terminal':
      await tool(turn, `terminal: ${await terminal(file, turn)}`);
      return undefined;
    case 'stay':
      process.on('SIGTERM', () => {});
      process.stdin.removeAllListeners('end');
      setInterval(() => {}, 1_000_000);
      return undefined;
    case 'start':
      await tool(turn, `started ${await start(step)}`);
      return undefined;
    case 'environment':
      await say(turn, JSON.stringify(process.env));
      return undefined;
    case 'heard':
      await say(turn, turn.heard);
      return undefined;
    case 'obey':
      await obey(step, file, turn);
      return undefined;
  }
}

async function terminal(file: string, { context, sessionId }: Turn): Promise<string> {
  try {
    const request = { sessionId, command: 'touch', args: [file] };
    return JSON.stringify(await context.request(methods.client.terminal.create, request));
  } catch (error) {
    return `error ${(error as Error).message}`;
  }
}

/** As fast as it is taken. */
async function spill(): Promise<never> {
  const piece = 'x'.repeat(1024 * 1024);
  for (;;) if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
}

async function access(step: AcpStep, file: string, { context, sessionId }: Turn): Promise<string> {
  try {
    if (step.do === 'write') {
      await context.request(methods.client.fs.writeTextFile, {
        sessionId,
        path: file,
        content: step.text ?? '',
      });
      return 'written';
    }
    return (await context.request(methods.client.fs.readTextFile, { sessionId, path: file })).content;
  } catch (error) {
    return `error ${(error as Error).message}`;
  }
}

/** A program that runs until it is killed: a child, one in a session of its own, or one whose parent has ended. */
async function start({ kind }: AcpStep): Promise<number> {
  const sleeper = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000000); process.send?.(process.pid)`;
  const own = kind !== 'child';
  const source =
    kind === 'orphan'
      ? `const c = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(sleeper)}],
         { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
         c.once('message', (pid) => process.send(pid, () => process.exit()));`
      : sleeper;
  const child = spawn(process.execPath, ['-e', source], {
    detached: own,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const pid = Promise.withResolvers<number>();
  child.once('message', (told) => pid.resolve(told as number));
  const found = await pid.promise;
  child.disconnect();
  child.unref();
  return found;
}

/** Does what a page tells it, word for word: the worst that a model can be talked into. */
async function obey(step: AcpStep, file: string, turn: Turn): Promise<void> {
  const page = await turn.context.request(methods.client.fs.readTextFile, {
    sessionId: turn.sessionId,
    path: file,
  });
  for (const line of page.content.split('\n')) {
    const order = /^ORDER (\w+) (\S+)$/.exec(line);
    if (order === null) continue;
    const [, verb = '', target = ''] = order;
    if (verb === 'write' || verb === 'read')
      await take({ ...step, do: verb, path: target, text: 'owned' }, turn);
    else
      await take({ do: 'ask', kind: verb as 'execute', text: `${verb} ${target}`, input: { target } }, turn);
  }
}

agent({ name: 'scripted' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: (script.protocol ?? 1) as 1,
    agentCapabilities: {
      loadSession: script.lasting === 'load',
      ...(script.lasting === 'resume' && { sessionCapabilities: { resume: {} } }),
    },
    authMethods: [
      { id: 'browser', name: 'With a browser' },
      { id: 'api-key', name: 'With a key' },
    ],
  }))
  .onRequest(methods.agent.authenticate, ({ params }) => {
    if (params.methodId !== 'api-key') throw new Error('A browser would open.');
    signedIn = script.signIn === 'key';
    return {};
  })
  .onRequest(methods.agent.session.new, ({ params }) => {
    if (!signedIn) throw RequestError.authRequired();
    directory = params.cwd;
    meta = params._meta;
    return {
      sessionId: 'session-1',
      ...(script.mode !== undefined && {
        modes: {
          currentModeId: script.mode,
          availableModes: [script.mode, 'default'].map((id) => ({ id, name: id })),
        },
      }),
      ...(script.model !== undefined && {
        configOptions: [
          {
            id: 'model',
            name: 'Model',
            category: 'model',
            type: 'select' as const,
            currentValue: 'm',
            options: [{ value: 'm', name: script.model }],
          },
        ],
      }),
    };
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    mode = params.modeId;
    return {};
  })
  .onRequest(methods.agent.session.load, async ({ params, client: context }) => {
    if (script.forgets) throw RequestError.sessionNotFound(params.sessionId);
    directory = params.cwd;
    known = ['earlier'];
    const turn = { context, sessionId: params.sessionId, heard: '' };
    await say(turn, 'What I said the last time.');
    return {};
  })
  .onRequest(methods.agent.session.resume, ({ params }) => {
    directory = params.cwd;
    known = ['earlier'];
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client: context }) => {
    const heard = params.prompt.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const turn = { context, sessionId: params.sessionId, heard };
    if (mode !== undefined) await tool(turn, `in the mode ${mode}, told ${JSON.stringify(meta)}`);
    if (known.length > 0) await tool(turn, `goes on with ${params.sessionId}`);
    for (const step of script.steps ?? []) {
      const reason = await take(step, turn);
      if (reason !== undefined) return { stopReason: reason };
    }
    return { stopReason: 'end_turn' };
  })
  .onNotification(methods.agent.session.cancel, () => {})
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

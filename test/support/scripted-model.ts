import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { anthropicWire } from './anthropic-wire.ts';
import { openaiWire } from './openai-wire.ts';
import {
  tokensOf,
  type ModelTurn,
  type Refusal,
  type ScriptedCall,
  type SeenRequest,
  type TurnUsage,
} from './scripted-turns.ts';

/** One server-sent event. */
export interface SseEvent {
  readonly event?: string;
  readonly data: string;
}

/** A turn that answers; without `stop` the stream ends in the middle. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly (ScriptedCall & { readonly id: string })[];
  readonly stop: 'end' | 'length' | 'calls' | 'refused' | undefined;
}

/** How one kind of endpoint speaks. */
export interface Wire {
  readonly path: string;
  readonly wrongKey: Refusal;
  keyOf(headers: IncomingHttpHeaders): string | undefined;
  unknownModel(model: string): Refusal;
  tooLarge(tokens: number, most: number): Refusal;
  errorBody(refusal: Refusal): object;
  models(ids: readonly string[]): object;
  /** Refuses what the real endpoint refuses. */
  read(body: unknown, headers: IncomingHttpHeaders): SeenRequest | Refusal;
  stream(answer: Answer, model: string, usage: TurnUsage): Iterable<SseEvent>;
  whole(answer: Answer, model: string, usage: TurnUsage): object;
  lateError(refusal: Refusal): SseEvent;
}

export interface ModelRequest extends SeenRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** Resolves when the client goes away before its answer has ended. */
  readonly left: Promise<void>;
}

export interface ScriptedModelOptions {
  /** Turns in order, or what to do with each request. A function may also use what was asked before. */
  readonly script:
    | readonly ModelTurn[]
    | ((request: ModelRequest, index: number) => ModelTurn | Promise<ModelTurn>);
  /** The key that is right; absent: none is needed, as with a local model server. */
  readonly key?: string;
  /** Default: `docs-model`. */
  readonly models?: readonly string[];
  /** What it says that it is, in its answers, when that is more than the name that was asked for. */
  readonly answersAs?: string;
  /** Most tokens of a request, see `tokensOf`. */
  readonly contextTokens?: number;
  /** How long it thinks before each answer, in milliseconds. */
  readonly thinkMs?: number;
}

/** A language model on loopback that says what a test wants, on both wires, and refuses what real ones refuse. */
export interface ScriptedModel extends AsyncDisposable {
  /** Base address for both kinds of provider, up to and with `/v1`. */
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** What it refused by itself, which a test of good requests expects to be empty. */
  readonly refused: readonly string[];
  /** Milliseconds between whole requests and the ends of their answers. */
  readonly heldMs: number;
  /** The request with this index, when it has come. */
  request(index: number): Promise<ModelRequest>;
}

const isRefusal = (value: SeenRequest | Refusal): value is Refusal => 'status' in value;

/** Starts the server on a free port of 127.0.0.1. */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const refused: string[] = [];
  const waiting = new Map<number, PromiseWithResolvers<ModelRequest>>();
  const models = options.models ?? ['docs-model'];
  let heldMs = 0;
  let calls = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://model').pathname;
    const anthropic = request.headers['anthropic-version'] !== undefined || path === anthropicWire.path;
    const wire = anthropic ? anthropicWire : openaiWire;
    const refuse = (refusal: Refusal): void => {
      refused.push(refusal.message);
      sendJson(response, refusal.status, wire.errorBody(refusal));
    };
    const text = await bodyOf(request);
    if (options.key !== undefined && wire.keyOf(request.headers) !== options.key)
      return refuse(wire.wrongKey);
    if (request.method === 'GET' && path === '/v1/models')
      return sendJson(response, 200, wire.models(models));
    if (request.method !== 'POST' || path !== wire.path) {
      return refuse({
        status: 404,
        message: `Invalid URL (${request.method} ${path})`,
        type: 'not_found_error',
      });
    }
    const body = parsed(text);
    const seen = wire.read(body, request.headers);
    if (isRefusal(seen)) return refuse(seen);
    if (!models.includes(seen.model)) return refuse(wire.unknownModel(seen.model));
    const tokens = tokensOf(body);
    if (tokens > (options.contextTokens ?? Infinity)) {
      return refuse(wire.tooLarge(tokens, options.contextTokens ?? 0));
    }
    const began = performance.now();
    response.once('close', () => (heldMs += performance.now() - began));
    const recorded: ModelRequest = { ...seen, headers: request.headers, body, left: leaving(response) };
    const index = requests.push(recorded) - 1;
    waiting.get(index)?.resolve(recorded);
    const { script } = options;
    const turn = typeof script === 'function' ? await script(recorded, index) : script[index];
    if (turn === undefined) {
      return refuse({ status: 400, message: 'The script of this test has no more turns.', type: 'test' });
    }
    if (options.thinkMs !== undefined) await pause(options.thinkMs);
    play(turn, { wire, response, seen, tokens });
  };

  const play = (
    turn: ModelTurn,
    at: { wire: Wire; response: ServerResponse; seen: SeenRequest; tokens: number },
  ): void => {
    const { wire, response, seen } = at;
    const name = options.answersAs ?? seen.model;
    const usage = ('usage' in turn ? turn.usage : undefined) ?? { input: at.tokens, output: 10 };
    const send = (said: Answer): void => {
      if (!seen.stream) return sendJson(response, 200, wire.whole(said, name, usage));
      openStream(response);
      for (const event of wire.stream(said, name, usage)) sendEvent(response, event);
      if (said.stop !== undefined) response.end();
    };
    const begin = (text: string | undefined): void => {
      if (text !== undefined) send({ text, calls: [], stop: undefined });
    };
    switch (turn.kind) {
      case 'say':
        return send({ text: turn.text, calls: [], stop: turn.stop ?? 'end' });
      case 'call': {
        const made = turn.calls.map((call) => ({ ...call, id: call.id ?? `call_${(calls += 1)}` }));
        return send({ text: turn.text ?? '', calls: made, stop: 'calls' });
      }
      case 'refuse':
        return send({ text: turn.text ?? '', calls: [], stop: 'refused' });
      case 'error': {
        const refusal = { type: 'api_error', ...turn };
        return sendJson(response, turn.status, wire.errorBody(refusal), {
          ...(turn.retryAfter !== undefined && { 'retry-after': turn.retryAfter }),
        });
      }
      case 'late-error':
        begin('');
        sendEvent(response, wire.lateError({ status: 200, type: 'api_error', ...turn }));
        return void response.end();
      case 'raw':
        response.writeHead(turn.status, turn.headers ?? { 'content-type': 'text/html' });
        return void response.end(turn.body);
      case 'pour':
        response.writeHead(turn.status, turn.headers);
        return pour(response, Buffer.from(turn.text));
      case 'break':
        begin(turn.after);
        // What was sent arrives before the reset.
        return void setImmediate(() => response.socket?.resetAndDestroy());
      case 'stop-short':
        begin(turn.after);
        return void response.end();
      case 'hang':
        return begin(turn.after);
    }
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      refused.push(String(error));
      response.destroy();
    });
  });
  // Never, before it is disposed: a connection that is closed under a request would fail a test.
  server.keepAliveTimeout = 0;
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    refused,
    get heldMs() {
      return heldMs;
    },
    async request(index) {
      const there = requests[index];
      if (there !== undefined) return there;
      const waiter = waiting.get(index) ?? Promise.withResolvers<ModelRequest>();
      waiting.set(index, waiter);
      return waiter.promise;
    },
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

function leaving(response: ServerResponse): Promise<void> {
  const left = Promise.withResolvers<void>();
  response.once('close', () => {
    if (!response.writableFinished) left.resolve();
  });
  return left.promise;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** No faster than it is taken. */
function pour(response: ServerResponse, piece: Buffer): void {
  while (!response.destroyed) {
    if (response.write(piece)) continue;
    response.once('drain', () => pour(response, piece));
    return;
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function openStream(response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
}

function sendEvent(response: ServerResponse, event: SseEvent): void {
  response.write(`${event.event === undefined ? '' : `event: ${event.event}\n`}data: ${event.data}\n\n`);
}

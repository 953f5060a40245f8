import { setTimeout as pause } from 'node:timers/promises';
import type { ClientContext } from '@agentclientprotocol/sdk';
import type { AcpCommand } from '../../../contract/agents.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { brokeDown, doesNotAnswer, endedEarly, refusedRequest } from './agent-errors.ts';
import type { AgentProcess, AgentTimes } from './agent-process.ts';

/** The requests to one agent, each of which ends when the agent does, when it is cancelled, or in time. */
export class Talk {
  readonly #agent: AgentProcess;
  readonly #connection: { readonly agent: ClientContext; readonly closed: Promise<void> };
  readonly #trouble: { readonly command: AcpCommand; readonly redact: (text: string) => string };
  readonly #times: AgentTimes;
  readonly #signal: AbortSignal;

  constructor(
    agent: AgentProcess,
    connection: { readonly agent: ClientContext; readonly closed: Promise<void> },
    command: AcpCommand,
    redact: (text: string) => string,
    times: AgentTimes,
    signal: AbortSignal,
  ) {
    this.#agent = agent;
    this.#connection = connection;
    this.#trouble = { command, redact };
    this.#times = times;
    this.#signal = signal;
  }

  /** The first requests: an agent that does not answer them is none. */
  async begin<T>(request: (agent: ClientContext) => Promise<T>): Promise<T> {
    const { command } = this.#trouble;
    const late = AbortSignal.timeout(this.#times.startMs);
    return this.#until(request, AbortSignal.any([this.#signal, late]), (how, cause) => {
      if (late.aborted) return doesNotAnswer(command);
      return how === undefined ? brokeDown(this.#told(), how, cause) : endedEarly(this.#told(), how);
    });
  }

  /** A request that may take as long as the work does. */
  async goOn<T>(request: (agent: ClientContext) => Promise<T>): Promise<T> {
    return this.#until(request, this.#signal, (how, cause) => brokeDown(this.#told(), how, cause));
  }

  async #until<T>(
    request: (agent: ClientContext) => Promise<T>,
    signal: AbortSignal,
    gone: (how: string | undefined, cause: unknown) => ServiceError,
  ): Promise<T> {
    const over = Promise.withResolvers<never>();
    const onAbort = (): void => over.reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const answer = request(this.#connection.agent);
      answer.catch(ignore);
      return await Promise.race([answer, over.promise, this.#end()]);
    } catch (error) {
      this.#signal.throwIfAborted();
      if (error instanceof ServiceError) throw error;
      if (signal.aborted) throw gone(undefined, error);
      if (error instanceof Error && 'code' in error && typeof error.code === 'number') {
        throw refusedRequest(this.#told(), error);
      }
      const how = (await this.#agent.endsSoon()) ? await this.#howItEnded() : undefined;
      this.#signal.throwIfAborted();
      throw gone(how, error);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Rejects when the agent has ended, and what it wrote before that has been read. */
  async #end(): Promise<never> {
    await this.#agent.ended.catch(ignore);
    // Something that it started may keep its output open.
    const waiting = new AbortController();
    const enough = pause(this.#times.graceMs, undefined, { signal: waiting.signal }).catch(ignore);
    await Promise.race([this.#connection.closed, enough]);
    waiting.abort();
    throw new Error('The agent has ended.');
  }

  async #howItEnded(): Promise<string> {
    return this.#agent.ended.catch(
      (error: unknown) => (error as NodeJS.ErrnoException).code ?? 'it cannot be run',
    );
  }

  #told(): { command: AcpCommand; redact: (text: string) => string; errorText: string } {
    return { ...this.#trouble, errorText: this.#agent.errorText };
  }
}

const ignore = (): void => undefined;

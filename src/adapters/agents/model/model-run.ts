import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelMessage, UserModelMessage } from 'ai';
import type { UsageLimits } from '../../../contract/agents.ts';
import type { PageTools, ToolPlace } from '../../../service/ports/page-tools.ts';
import { ServiceError } from '../../../service/service-error.ts';
import type { Clock } from '../../../service/clock.ts';
import { finishName, finishOf } from './finish.ts';
import { instructionsFor } from './instructions.ts';
import { cleanAnswer, withWords } from './messages.ts';
import { askModel, estimatedTokens, type StepAnswer, type StepTimes } from './model-step.ts';
import { LastingFailure, patiently, type Patience } from './patience.ts';
import { shortened } from './pruning.ts';
import { toolSet, ToolUse } from './tool-use.ts';
import { UsageMeter, type Price, type Usage } from './usage-meter.ts';

export interface RunDeps {
  readonly provider: string;
  readonly model: LanguageModelV4;
  readonly modelName: string;
  readonly tools: PageTools;
  readonly limits: UsageLimits;
  readonly price: Price | undefined;
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly times: StepTimes;
  readonly patience: Patience;
  readonly roomTokens: number;
}

export interface RunTask {
  readonly place: ToolPlace;
  readonly mark: string;
  readonly signal: AbortSignal;
  readonly onProgress: (message: string) => void;
  /** By earlier answers to the same message. */
  readonly spent: Usage | undefined;
  readonly onSpent: (spent: Usage) => void;
}

export interface RunEnd {
  readonly title: string;
  readonly summary: string;
  /** What was done to files, as phrases. */
  readonly changes: readonly string[];
  /** A sentence: why the work stopped before the model ended it. */
  readonly unfinished: string | undefined;
  readonly modelId: string | undefined;
  /** The whole conversation, ending with what the model said. */
  readonly messages: readonly ModelMessage[];
}

/** Answers that were cut off or empty, and are asked for once more. */
const mostNudges = 3;
/** Signs of life that are told while one answer comes, in milliseconds between two. */
const signEveryMs = 15_000;

type Stop = { readonly sentence: string; readonly code: 'usage_limit' | 'agent_failed' };

/** One message to a model, from its first request to its end: the model asks for tools, and is answered. */
export class ModelRun {
  readonly #deps: RunDeps;
  readonly #task: RunTask;
  readonly #meter: UsageMeter;
  readonly #use: ToolUse;
  readonly #instructions: string;
  readonly #ids = new Set<string>();
  #messages: readonly ModelMessage[];
  #bare: UserModelMessage | undefined;
  #room: number;
  #modelId: string | undefined;
  #nudges = 0;

  constructor(
    deps: RunDeps,
    task: RunTask,
    opening: { readonly messages: readonly ModelMessage[]; readonly bare: UserModelMessage | undefined },
  ) {
    this.#deps = deps;
    this.#task = task;
    this.#meter = new UsageMeter(deps.limits, deps.price, task.spent);
    this.#use = new ToolUse(deps.tools, task.place, task.mark, task.onProgress, deps.redact);
    const { docsRoot, outsideDocsRoot } = task.place;
    this.#instructions = instructionsFor({ docsRoot, outsideDocsRoot, mark: task.mark });
    this.#messages = opening.messages;
    this.#bare = opening.bare;
    this.#room = deps.roomTokens;
    for (const message of opening.messages) {
      if (message.role !== 'assistant' || typeof message.content === 'string') continue;
      for (const part of message.content) if (part.type === 'tool-call') this.#ids.add(part.toolCallId);
    }
  }

  /** @throws ServiceError with a name for each bad end, or the signal's reason */
  async toTheEnd(): Promise<RunEnd> {
    for (;;) {
      this.#makeRoom();
      const stop = this.#reasonToStop();
      if (stop !== undefined) return this.#wrapUp(stop);
      const answer = await this.#ask('all');
      const end = await this.#take(answer);
      if (end !== undefined) return end;
    }
  }

  /** Takes in one answer; the end of the run when it was the last. */
  async #take(answer: StepAnswer): Promise<RunEnd | undefined> {
    const { message, calls } = cleanAnswer(answer, this.#ids);
    const finishing = answer.calls.find(({ name }) => name === finishName);
    if (message !== undefined && (finishing === undefined || calls.length > 0)) this.#say(message);
    if (calls.length > 0) this.#say(await this.#use.answer(calls, this.#task.signal));
    if (finishing !== undefined) {
      const said = finishOf(finishing.input);
      return this.#end(said?.title ?? '', said?.summary || answer.text, undefined);
    }
    if (calls.length > 0) return undefined;
    const cut = answer.end === 'cut';
    if (answer.text !== '' && !cut) return this.#end('', answer.text, undefined);
    this.#nudges += 1;
    if (this.#nudges > mostNudges) return this.#end('', answer.text, undefined);
    this.#messages = withWords(
      this.#messages,
      cut
        ? 'Your answer was cut off, because it was too long. Go on in smaller steps.'
        : 'Your answer was empty. Go on with the tools, or call `finish` with a title and a summary.',
    );
    return undefined;
  }

  /** One last request in which the model can only say what it did. */
  async #wrapUp(stop: Stop): Promise<RunEnd> {
    if (this.#use.changes.length === 0) throw new ServiceError(stop.code, nothing(stop));
    // What was changed is not thrown away: the reviewer reads that it is not finished.
    if (this.#meter.reached() !== undefined) return this.#end('', '', stop.sentence);
    this.#messages = withWords(
      this.#messages,
      `You have to stop here. ${stop.sentence} Call \`finish\` now: say what you did and what is left to do.`,
    );
    const answer = await this.#ask('finish');
    const said = finishOf(answer.calls.find(({ name }) => name === finishName)?.input);
    return this.#end(said?.title ?? '', said?.summary || answer.text, stop.sentence);
  }

  #end(title: string, summary: string, unfinished: string | undefined): RunEnd {
    const last = this.#messages.at(-1);
    const closing = [title, summary].filter((text) => text.trim() !== '').join('\n\n') || 'Done.';
    return {
      title,
      summary,
      changes: this.#use.changes,
      unfinished,
      modelId: this.#modelId,
      messages:
        last?.role === 'assistant'
          ? this.#messages
          : [...this.#messages, { role: 'assistant', content: closing }],
    };
  }

  #reasonToStop(): Stop | undefined {
    const limit = this.#meter.reached() ?? this.#meter.near(this.#size());
    if (limit !== undefined) return { code: 'usage_limit', sentence: `The agent stopped at ${limit}.` };
    if (!this.#use.stuck) return undefined;
    return {
      code: 'agent_failed',
      sentence: 'The model repeated itself and got nowhere, so it was stopped.',
    };
  }

  async #ask(tools: 'all' | 'finish'): Promise<StepAnswer> {
    try {
      return await this.#request(tools);
    } catch (error) {
      if (!(error instanceof LastingFailure)) throw error;
      if (!error.failure.overflow || !this.#shrink()) throw error.failure.error;
    }
    this.#task.onProgress('The task was too large for the model; asking again with less');
    try {
      return await this.#request(tools);
    } catch (error) {
      throw error instanceof LastingFailure ? error.failure.error : error;
    }
  }

  async #request(tools: 'all' | 'finish'): Promise<StepAnswer> {
    const { provider, model, modelName, clock, times } = this.#deps;
    const { signal, onProgress } = this.#task;
    const request = { instructions: this.#instructions, messages: this.#messages, tools: toolSet(tools) };
    const names = { provider, model: modelName };
    onProgress('Thinking about the next step');
    return patiently(
      async () => {
        let characters = 0;
        let told = clock.now();
        const onSign = (so: number): void => {
          characters = so;
          if (clock.now() - told < signEveryMs) return;
          told = clock.now();
          onProgress('The model is answering');
        };
        let answer: StepAnswer;
        try {
          answer = await askModel(model, request, times, clock, signal, onSign);
        } catch (error) {
          // What broke off half-way was read and begun, and is paid for.
          if (characters > 0) this.#meter.add({ input: this.#size(), output: Math.ceil(characters / 4) });
          this.#task.onSpent(this.#meter.spent);
          throw error;
        }
        this.#meter.addStep(answer.usage);
        this.#task.onSpent(this.#meter.spent);
        this.#modelId = answer.modelId ?? this.#modelId;
        if (answer.end === 'refused') throw refused(provider);
        if (answer.end === 'full') throw new Error('context_length_exceeded');
        return answer;
      },
      { ...this.#deps, names, onProgress },
      signal,
    );
  }

  #say(message: ModelMessage): void {
    this.#messages = [...this.#messages, message];
  }

  #size(): number {
    return estimatedTokens({ instructions: this.#instructions, messages: this.#messages });
  }

  /** Shortens older answers of tools when the conversation has grown large; many at once, for the sake of caches. */
  #makeRoom(): void {
    if (this.#size() > this.#room) this.#messages = shortened(this.#messages, 4, 20_000);
    if (this.#size() > this.#room) this.#messages = shortened(this.#messages, 2, 4000);
  }

  /** Makes the conversation much smaller, and keeps it so; false when there is nothing to take away. */
  #shrink(): boolean {
    const before = this.#size();
    const rest = this.#bare === undefined ? this.#messages : [this.#bare, ...this.#messages.slice(1)];
    this.#bare = undefined;
    this.#messages = shortened(rest, 1, 3000);
    this.#room = Math.min(this.#room, Math.floor(before * 0.7));
    return this.#size() < before * 0.9;
  }
}

const nothing = ({ code, sentence }: Stop): string =>
  code === 'usage_limit'
    ? `${sentence} Nothing was changed. Ask for less at a time, or raise the limit in the settings.`
    : `${sentence} Nothing was changed. Say it in other words, or choose another model.`;

const refused = (provider: string): ServiceError =>
  new ServiceError(
    'model_refused',
    `The model of ${provider} refused to do this. Say it in other words, or choose another model.`,
  );

import { hash } from 'node:crypto';
import { jsonSchema, tool, type JSONSchema7, type ToolModelMessage, type ToolSet } from 'ai';
import * as z from 'zod/v4';
import type { PageTools, ToolAnswer, ToolPlace } from '../../../service/ports/page-tools.ts';
import { finishName, finishTool } from './finish.ts';
import { projectText } from './instructions.ts';
import type { AskedCall } from './model-step.ts';
import { callInWords } from './tool-words.ts';
import { toolTable } from './tools/tool-table.ts';

/** Calls of one answer that are done; the others are sent back. */
const mostCalls = 40;
/** Of one answer to the model, in characters; tools keep below it themselves. */
const mostAnswer = 60_000;
/** The same call with the same answer so often is a model that turns in a circle. */
const circleCalls = 5;
/** Calls that fail one after the other, whatever they are. */
const failuresInRow = 15;
/** Breakdowns of the tools themselves: one page may be too much for them, not three. */
const mostBreakdowns = 3;

/** The tools as the library is told of them. Nothing is executed by the library, and arguments are checked by us. */
export function toolSet(kind: 'all' | 'finish'): ToolSet {
  const entries =
    kind === 'finish'
      ? []
      : toolTable.map((entry) => [entry.name, described(entry.description, entry.input)]);
  return Object.fromEntries([
    ...entries,
    [finishName, described(finishTool.description, finishTool.inputSchema)],
  ]) as ToolSet;
}

function described(description: string, input: z.ZodObject): ToolSet[string] {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', target: 'draft-7' });
  // Not validated by the library: `PageTools` answers wrong arguments in words that a model can use.
  return tool({ description, inputSchema: jsonSchema(schema as JSONSchema7) });
}

const writers: ReadonlySet<string> = new Set(
  toolTable.filter(({ writes }) => writes).map(({ name }) => name),
);

/** Carries out what a model asks for, and notices when it gets nowhere. */
export class ToolUse {
  readonly #tools: PageTools;
  readonly #place: ToolPlace;
  readonly #mark: string;
  readonly #tell: (message: string) => void;
  readonly #words: (call: AskedCall) => string;
  /** By digest: calls and answers hold whole pages. */
  readonly #seen = new Map<string, { answer: string; times: number }>();
  readonly #changed = new Set<string>();
  #failures = 0;
  #breakdowns = 0;
  #circles = false;

  constructor(
    tools: PageTools,
    place: ToolPlace,
    mark: string,
    tell: (message: string) => void,
    redact: (text: string) => string,
  ) {
    this.#tools = tools;
    this.#place = place;
    this.#mark = mark;
    this.#tell = tell;
    this.#words = ({ name, input }) => callInWords(name, input, redact);
  }

  /** What was done to files, as phrases; empty when nothing was. */
  get changes(): readonly string[] {
    return [...this.#changed];
  }

  /** True when the model repeats itself or does nothing right. */
  get stuck(): boolean {
    return this.#circles || this.#failures >= failuresInRow;
  }

  /** Answers each call, in order: every one needs an answer with its id. */
  async answer(calls: readonly AskedCall[], signal: AbortSignal): Promise<ToolModelMessage> {
    const content: ToolModelMessage['content'] = [];
    for (const [index, call] of calls.entries()) {
      const text =
        index < mostCalls ? await this.#one(call, signal) : 'Too many calls at once. Ask again for this one.';
      const output = { type: 'text' as const, value: text };
      content.push({ type: 'tool-result', toolCallId: call.id, toolName: call.name, output });
    }
    return { role: 'tool', content };
  }

  async #one(call: AskedCall, signal: AbortSignal): Promise<string> {
    if (call.name === finishName) return 'Noted.';
    signal.throwIfAborted();
    this.#tell(this.#words(call));
    const answer = await this.#use(call, signal);
    this.#failures = answer.failed ? this.#failures + 1 : 0;
    if (!answer.failed && writers.has(call.name)) {
      this.#changed.add(this.#words(call));
      // After a change, the same question may have another answer, or be worth asking again.
      this.#seen.clear();
      return projectText(answer.text, this.#mark);
    }
    const times = this.#times(call, answer.text);
    if (times >= circleCalls) this.#circles = true;
    const reminder =
      times < 3
        ? ''
        : `\nYou have made this very call ${times} times with the same answer. Do something else, or call finish and say what keeps you from going on.`;
    return `${projectText(answer.text.slice(0, mostAnswer), this.#mark)}${reminder}`;
  }

  async #use(call: AskedCall, signal: AbortSignal): Promise<ToolAnswer> {
    if (call.input === undefined) {
      return {
        text: 'The arguments of this call are no complete JSON object, so nothing was done. Make the call again, with smaller arguments if they were cut off.',
        failed: true,
      };
    }
    try {
      return await this.#tools.use({ name: call.name, input: call.input }, this.#place, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#breakdowns += 1;
      if (this.#breakdowns >= mostBreakdowns) throw error;
      this.#tell('A tool broke down at a page; the model goes on without it');
      // A page may take all memory that a tool has: the rest of the work can still be done.
      return {
        text: 'The tool broke down at this, so it may be done by half or not at all. Look at the file, leave out what is too much for it, and say so in your summary.',
        failed: true,
      };
    }
  }

  #times(call: AskedCall, answer: string): number {
    const key = digestOf(`${call.name} ${JSON.stringify(call.input) ?? ''}`);
    const said = digestOf(answer);
    const before = this.#seen.get(key);
    const times = before?.answer === said ? before.times + 1 : 1;
    this.#seen.set(key, { answer: said, times });
    return times;
  }
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64');
}

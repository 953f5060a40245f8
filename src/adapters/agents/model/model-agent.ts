import { randomBytes } from 'node:crypto';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelMessage } from 'ai';
import type { UsageLimits } from '../../../contract/agents.ts';
import type { Agent, AgentResult, AgentTask } from '../../../service/ports/agent.ts';
import type { PageTools } from '../../../service/ports/page-tools.ts';
import type { Redactor } from '../../../service/redaction.ts';
import { titleOf } from '../../../service/title.ts';
import { systemClock, type Clock } from '../../../service/clock.ts';
import { conversationText, turnsOf, type Turn } from './conversation.ts';
import { ModelRun, type RunEnd } from './model-run.ts';
import { defaultStepTimes, type StepTimes } from './model-step.ts';
import { openConversation, repairText, userMessage } from './opening.ts';
import { defaultPatience, type Patience } from './patience.ts';
import type { Price } from './usage-meter.ts';

export interface ModelAgentOptions {
  /** Whose model it is, for people: `OpenAI`, `Ollama`, `Copilot`. */
  readonly provider: string;
  readonly model: LanguageModelV4;
  /** Its name for people, where that is not what it is asked by. */
  readonly modelName?: string;
  readonly tools: PageTools;
  readonly limits: UsageLimits;
  readonly price?: Price | undefined;
  readonly redactor: Redactor;
  readonly clock?: Clock;
  /** From 0 to 1. */
  readonly random?: () => number;
  readonly times?: StepTimes;
  readonly patience?: Patience;
  /** Above so many tokens of a request, older answers of tools are shortened. */
  readonly roomTokens?: number;
}

/**
 * Far below what hosted models read at once, which is 128,000 tokens and more: long requests are slow and dear.
 * A model with less room says so, and gets less.
 */
const defaultRoom = 60_000;

/** Kept while the agent lives, so that what the checks find goes to the model as it stands. */
interface Live {
  readonly conversation: string;
  readonly directory: string;
  readonly mark: string;
  readonly messages: readonly ModelMessage[];
}

/** An agent that lets a language model work on the pages with tools. */
export function createModelAgent(options: ModelAgentOptions): Agent {
  // The library's only switch: it would tell each of its warnings to the process.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const modelName = options.modelName ?? options.model.modelId;
  let live: Live | undefined;
  return {
    name: `${modelName} (${options.provider})`,
    repairs: true,
    async run(task) {
      const redact = (text: string): string => options.redactor.redact(text);
      const turns = earlierTurns(task);
      const going = live !== undefined && isSame(live, task) ? live : undefined;
      live = undefined;
      // Nothing in a page can guess it, so nothing in a page can end its own mark.
      const mark = going?.mark ?? randomBytes(6).toString('hex');
      const place = {
        directory: task.directory,
        docsRoot: task.docsRoot,
        outsideDocsRoot: task.outsideDocsRoot,
      };
      const now = task.repair === undefined ? task.prompt : repairText(task.repair, mark);
      const opening = going
        ? { messages: [...going.messages, userMessage(now)], bare: undefined }
        : await openConversation(now, turns, options.tools, place, mark, task.signal);
      const run = new ModelRun(
        {
          provider: options.provider,
          model: options.model,
          modelName,
          tools: options.tools,
          limits: options.limits,
          price: options.price,
          redact,
          clock: options.clock ?? systemClock,
          random: options.random ?? Math.random,
          times: options.times ?? defaultStepTimes,
          patience: options.patience ?? defaultPatience,
          roomTokens: options.roomTokens ?? defaultRoom,
        },
        {
          place,
          mark,
          signal: task.signal,
          onProgress: task.onProgress,
          spent: task.spent,
          onSpent: (spent) => task.onSpent?.(spent),
        },
        opening,
      );
      const end = await run.toTheEnd();
      const summary = summaryOf(end);
      const conversation = conversationText(withTurn(turns, task, `${summary}${whatWasDone(end)}`), redact);
      live = { conversation, directory: task.directory, mark, messages: end.messages };
      return {
        title: titleOf(end.title.trim() === '' ? task.prompt : end.title),
        summary,
        model: `${end.modelId ?? modelName} (${options.provider})`,
        conversation,
      } satisfies AgentResult;
    },
  };
}

function isSame(live: Live, task: AgentTask): boolean {
  return live.conversation === task.conversation && live.directory === task.directory;
}

/** What was said before in this job; of an answer that goes back for repair, the message itself too. */
function earlierTurns(task: AgentTask): readonly Turn[] {
  const known = turnsOf(task.conversation);
  if (known !== undefined) return known;
  const told = task.earlier.map(({ prompt, summary }) => ({ asked: prompt, did: summary }));
  return task.repair === undefined ? told : [...told, { asked: task.prompt, did: '' }];
}

/** An answer after a repair takes the place of the one before it. */
function withTurn(turns: readonly Turn[], task: AgentTask, did: string): readonly Turn[] {
  const before = task.repair === undefined ? turns : turns.slice(0, -1);
  return [...before, { asked: task.prompt, did }];
}

function whatWasDone({ changes }: RunEnd): string {
  return changes.length === 0 ? '' : `\n\nWhat I did: ${changes.join('; ')}.`;
}

function summaryOf(end: RunEnd): string {
  const did =
    end.changes.length === 0
      ? 'The agent changed nothing and did not say why.'
      : `The agent did not say what it did. Its steps:\n\n${end.changes.map((change) => `- ${change}`).join('\n')}`;
  const summary = end.summary.trim() === '' ? did : end.summary.trim();
  return end.unfinished === undefined
    ? summary
    : `**Not finished:** ${end.unfinished} Look at what is missing, and ask for it in a follow-up.\n\n${summary}`;
}

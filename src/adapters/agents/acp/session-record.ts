import type { SessionNotification, ToolCallUpdate } from '@agentclientprotocol/sdk';

/** Characters of one phrase of progress, and of what an agent says in one message. */
const longestPhrase = 160;
const longestMessage = 24_000;
/** Calls that are remembered for the questions that come about them, which come soon. */
const rememberedCalls = 100;
const longestTitle = 2_000;
/** Characters of what one of them is given, as JSON: several whole pages. */
const longestInput = 1_000_000;

/**
 * What an agent tells while it works. All of it is untrusted text: bounded here, made a phrase where it is told on,
 * and neutralised where it is published.
 */
export class SessionRecord {
  readonly #onProgress: (message: string) => void;
  readonly #calls = new Map<string, Partial<ToolCallUpdate>>();
  /** The message that it is writing, or wrote last. */
  #message = '';
  /** Whether something else came since: the next words begin a new message. */
  #closed = true;
  #messageId: string | undefined;
  #listening = false;

  constructor(onProgress: (message: string) => void) {
    this.#onProgress = onProgress;
  }

  /** From now on it counts: what came before repeats an earlier conversation. */
  listen(): void {
    this.#listening = true;
  }

  take({ update }: SessionNotification): void {
    if (!this.#listening) return;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        if (update.content.type === 'text') this.#say(update.content.text, update.messageId ?? undefined);
        return this.#tell('The agent is writing');
      case 'agent_thought_chunk':
        return this.#tell('The agent is thinking');
      case 'tool_call':
      case 'tool_call_update': {
        this.#closed = true;
        const known = this.#remember(update);
        return this.#tell(known.title ?? 'The agent is at work');
      }
      case 'plan': {
        this.#closed = true;
        const doing = update.entries.find(({ status }) => status === 'in_progress');
        const done = update.entries.filter(({ status }) => status === 'completed').length;
        const now = doing === undefined ? 'Plan' : doing.content;
        return this.#tell(`${now} (${done} of ${update.entries.length} done)`);
      }
      default:
        // Any other sign of life.
        return this.#tell('The agent is at work');
    }
  }

  /** What was told about a call before a question about it came. */
  callOf(id: string): Partial<ToolCallUpdate> | undefined {
    return this.#calls.get(id);
  }

  /** Its last message, which is its report. */
  get report(): string {
    return this.#message.trim();
  }

  #say(text: string, messageId: string | undefined): void {
    const other = messageId !== undefined && this.#messageId !== undefined && messageId !== this.#messageId;
    if ((this.#closed || other) && text.trim() !== '') {
      this.#message = '';
      this.#closed = false;
    }
    this.#messageId = messageId;
    if (this.#message.length < longestMessage) {
      this.#message += text.slice(0, longestMessage - this.#message.length);
    }
  }

  #remember(update: Partial<ToolCallUpdate> & { readonly toolCallId: string }): Partial<ToolCallUpdate> {
    const given = Object.entries(slim(update)).filter(([, value]) => value !== null && value !== undefined);
    const merged = { ...this.#calls.get(update.toolCallId), ...Object.fromEntries(given) };
    this.#calls.delete(update.toolCallId);
    this.#calls.set(update.toolCallId, merged);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > rememberedCalls && oldest !== undefined) this.#calls.delete(oldest);
    return merged;
  }

  #tell(message: string): void {
    this.#onProgress(message);
  }
}

/** What a question about a call needs: what it is and which files it names. Whole pages stand in the rest. */
function slim({
  toolCallId,
  title,
  kind,
  locations,
  content,
  rawInput,
}: Partial<ToolCallUpdate> & { readonly toolCallId: string }): Partial<ToolCallUpdate> {
  const diffs = content?.flatMap((part) =>
    part.type === 'diff' ? [{ type: part.type, path: part.path, newText: '' }] : [],
  );
  // Without what it is given, it cannot say which file it changes, and is refused.
  const isLong = JSON.stringify(rawInput ?? null).length > longestInput;
  return {
    toolCallId,
    ...(title != null && { title: title.slice(0, longestTitle) }),
    ...(kind != null && { kind }),
    ...(locations != null && { locations }),
    ...(diffs !== undefined && { content: diffs }),
    ...(!isLong && { rawInput }),
  };
}

/** Words of an agent on one short line. */
export function phrase(text: string): string {
  const line = text
    .slice(0, longestPhrase * 4)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return line.length > longestPhrase ? `${line.slice(0, longestPhrase - 1).toWellFormed()}…` : line;
}

/** Title and summary out of the report, which begins with `Title:` when the agent kept to what it was asked. */
export function readReport(report: string): { readonly title: string; readonly summary: string } {
  const [, title = '', rest = ''] = /^[#*_\s]*title[*_]*:[*_ \t]*([^\n]*)\n?([^]*)$/i.exec(report) ?? [];
  return title.trim() === ''
    ? { title: '', summary: report }
    : { title: phrase(title.replace(/[*_]+\s*$/, '')), summary: rest.trim() };
}

/** What the scripted model does with one request. */
export type ModelTurn =
  | {
      readonly kind: 'say';
      readonly text: string;
      /** `length`: cut off at the most tokens of an answer. */
      readonly stop?: 'end' | 'length';
      readonly usage?: TurnUsage;
    }
  | {
      readonly kind: 'call';
      readonly calls: readonly ScriptedCall[];
      readonly text?: string;
      readonly usage?: TurnUsage;
    }
  /** The model declines, or a content filter stops it. */
  | { readonly kind: 'refuse'; readonly text?: string }
  /** An error answer of the endpoint, in the shape of its wire. */
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly message: string;
      /** OpenAI's `type`, Anthropic's `error.type`. */
      readonly type?: string;
      readonly code?: string;
      /** Value of the header `Retry-After`. */
      readonly retryAfter?: string;
    }
  /** An error that comes after the stream has begun. */
  | { readonly kind: 'late-error'; readonly message: string; readonly type?: string }
  /** An answer as it is: a proxy's page, cut JSON. */
  | {
      readonly kind: 'raw';
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The same text again and again, for as long as the client takes it. */
  | {
      readonly kind: 'pour';
      readonly status: number;
      readonly text: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** The connection is reset: before the answer, or after some text of it. */
  | { readonly kind: 'break'; readonly after?: string }
  /** The stream ends in good order, but without its end. */
  | { readonly kind: 'stop-short'; readonly after: string }
  /** Nothing more comes, for as long as the client waits: no header at all, or after some text. */
  | { readonly kind: 'hang'; readonly after?: string };

export interface ScriptedCall {
  readonly name: string;
  /** A text is sent as it is: arguments that are no JSON. */
  readonly input: Readonly<Record<string, unknown>> | string;
  /** Without one, the model makes one up. */
  readonly id?: string;
}

export interface TurnUsage {
  readonly input: number;
  readonly output: number;
}

/** One message as either wire tells it. */
export interface SeenMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly results: readonly { readonly id: string; readonly text: string }[];
}

/** One request as either wire tells it. */
export interface SeenRequest {
  readonly wire: 'openai' | 'anthropic';
  readonly model: string;
  readonly system: string;
  readonly messages: readonly SeenMessage[];
  /** Names of the tools that the model may call. */
  readonly tools: readonly string[];
  readonly stream: boolean;
}

/** An answer of the endpoint that refuses a request. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code?: string;
}

/** Text in a few pieces, as a stream brings it; pieces do not split a character. */
export function pieces(text: string): string[] {
  const characters = [...text];
  const size = Math.max(1, Math.ceil(characters.length / 3));
  const result: string[] = [];
  for (let at = 0; at < characters.length; at += size) result.push(characters.slice(at, at + size).join(''));
  return result;
}

/** Roughly what a tokenizer counts: four characters are a token. */
export function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}

export const argumentsOf = (call: ScriptedCall): string =>
  typeof call.input === 'string' ? call.input : JSON.stringify(call.input);

import type { UsageLimits } from '../../../contract/agents.ts';

/** Tokens of one request. */
export interface Usage {
  readonly input: number;
  readonly output: number;
}

export interface Limits {
  readonly steps: number;
  readonly tokens: number;
  readonly cost: number | undefined;
}

/** What a million tokens cost. */
export type Price = Readonly<{ input: number; output: number }>;

/** Which limit is reached, as a phrase for people: "its limit of 60 steps". */
export type ReachedLimit = string;

/**
 * A change of a dozen pages takes 20 to 40 steps; one hundred is a model that has lost its way or a task that is
 * better asked for in parts. Two million tokens are a hundred steps with twenty thousand tokens each.
 */
const defaultSteps = 100;
const defaultTokens = 2_000_000;

/** Counts what the answers to one message use up; steps are counted of one answer. Parts of the input that come from a cache count like the others. */
export class UsageMeter {
  readonly #limits: Limits;
  readonly #price: Price | undefined;
  #steps = 0;
  #input = 0;
  #output = 0;
  #largest: Usage = { input: 0, output: 0 };

  /** @param spent by earlier answers to the same message */
  constructor(limits: UsageLimits, price: Price | undefined, spent?: Usage) {
    this.#input = spent?.input ?? 0;
    this.#output = spent?.output ?? 0;
    this.#limits = {
      steps: limits.steps ?? defaultSteps,
      tokens: limits.tokens ?? defaultTokens,
      cost: price === undefined ? undefined : limits.cost,
    };
    this.#price = price;
  }

  get steps(): number {
    return this.#steps;
  }

  get tokens(): number {
    return this.#input + this.#output;
  }

  get spent(): Usage {
    return { input: this.#input, output: this.#output };
  }

  /** A request that was answered. */
  addStep(usage: Usage): void {
    this.#steps += 1;
    this.add(usage);
  }

  /** What a request used up that broke off. */
  add(usage: Usage): void {
    this.#input += usage.input;
    this.#output += usage.output;
    this.#largest = {
      input: Math.max(this.#largest.input, usage.input),
      output: Math.max(this.#largest.output, usage.output),
    };
  }

  /** The limit that is reached: nothing more may be asked. */
  reached(): ReachedLimit | undefined {
    const { steps, tokens, cost } = this.#limits;
    if (this.#steps >= steps) return `its limit of ${steps} ${steps === 1 ? 'step' : 'steps'}`;
    if (this.tokens >= tokens) return `its limit of ${tokens} tokens`;
    if (cost !== undefined && this.#cost(this.#input, this.#output) >= cost)
      return `its cost limit of ${cost}`;
    return undefined;
  }

  /**
   * The limit that the request after the next one would reach: the next one is the last.
   *
   * @param nextInput tokens that the next request will probably send
   */
  near(nextInput: number): ReachedLimit | undefined {
    const { steps, tokens, cost } = this.#limits;
    // The one after sends what the next one sent and said, and something that a tool answered.
    const { output } = this.#largest;
    const input = 2 * nextInput + output;
    if (this.#steps + 2 > steps) return `its limit of ${steps} ${steps === 1 ? 'step' : 'steps'}`;
    if (this.tokens + input + 2 * output > tokens) return `its limit of ${tokens} tokens`;
    if (cost !== undefined && this.#cost(this.#input + input, this.#output + 2 * output) > cost) {
      return `its cost limit of ${cost}`;
    }
    return undefined;
  }

  #cost(input: number, output: number): number {
    const price = this.#price ?? { input: 0, output: 0 };
    return (input * price.input + output * price.output) / 1_000_000;
  }
}

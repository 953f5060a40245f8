import type { JobError } from '../../contract/job.ts';
import type { DocsChange } from '../../docset/change-checks.ts';
import type { AgentTask } from '../../service/ports/agent.ts';
import type { ToolCall, ToolPlace } from '../../service/ports/page-tools.ts';

/** What a child is asked to do. */
export type Work =
  | { readonly kind: 'agent'; readonly task: Omit<AgentTask, 'signal' | 'onProgress' | 'onSpent'> }
  | { readonly kind: 'check'; readonly change: DocsChange }
  | { readonly kind: 'tool'; readonly call: ToolCall; readonly place: ToolPlace };

/** To a child. One piece of work at a time. */
export type Order = { readonly kind: 'start'; readonly work: Work } | { readonly kind: 'abort' };

/** From a child: progress, then one of the other two. */
export type Word =
  | { readonly kind: 'progress'; readonly message: string }
  | { readonly kind: 'done'; readonly value: unknown }
  /** `named` are the fields of a `ServiceError`, whose class does not come through. */
  | { readonly kind: 'failed'; readonly named: JobError | undefined; readonly error: unknown };

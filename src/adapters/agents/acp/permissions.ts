import type { PermissionOption, RequestPermissionRequest, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { whyProtected } from '../../../service/protected-paths.ts';
import { type AgentPlace, placeOf } from './agent-files.ts';

export type PermissionAnswer =
  | { readonly allowed: true; readonly optionId: string }
  /** `optionId` is undefined when the agent offers no way to say no: the request is cancelled then. */
  | { readonly allowed: false; readonly optionId: string | undefined; readonly reason: string };

/** Kinds of tools that look at files or at nothing. */
const looking: ReadonlySet<string> = new Set(['read', 'search', 'think']);
/** Kinds that change files; only with the paths named. */
const changing: ReadonlySet<string> = new Set(['edit', 'delete', 'move']);

/** Keys under which agents' tools name what they work on. */
const pathKey =
  /^(?:(?:abs(?:olute)?_?|old_?|new_?|source_?|destination_?|target_?|notebook_?|parent_?)?(?:path|paths|file|files|filename|file_?path|file_?paths|dir|directory|cwd|workdir|working_directory|uri|source|destination))$/i;
/** Nesting of a tool's input that is looked into. What is nested deeper is not let through. */
const deepest = 6;
/** Keys under which agents' tools take what they run. */
const commandKey = /^(?:command|commands|cmd|argv|script|shell_?command)$/i;
/** What tools that edit files call their own ways of working. */
const editorWords = /^(?:view|create|str_replace|insert|undo_edit|append|read|write|edit|delete)$/;

/**
 * Answers an agent's question whether it may use a tool: reading and changing files in the workspace is fine,
 * running programs, fetching, and everything that it has no word for is not. Each answer is for once.
 *
 * @param earlier what the agent told about this call before: a request need not repeat it
 */
export function answerPermission(
  request: RequestPermissionRequest,
  place: AgentPlace,
  earlier?: Partial<ToolCallUpdate>,
): PermissionAnswer {
  const call = { ...earlier, ...withoutNull(request.toolCall) };
  const reason = whyRefused(call, place);
  const { options } = request;
  if (reason !== undefined) return { allowed: false, optionId: refusing(options), reason };
  // Never `allow_always`: it would cover what has not been looked at.
  const once = options.find(({ kind }) => kind === 'allow_once');
  return once === undefined
    ? { allowed: false, optionId: refusing(options), reason: 'asks for more than this one time' }
    : { allowed: true, optionId: once.optionId };
}

function refusing(options: readonly PermissionOption[]): string | undefined {
  const kinds = ['reject_once', 'reject_always'];
  const found = kinds.flatMap((kind) => options.filter((option) => option.kind === kind));
  return found[0]?.optionId;
}

function whyRefused(call: Partial<ToolCallUpdate>, place: AgentPlace): string | undefined {
  const kind = call.kind ?? 'other';
  const changes = changing.has(kind);
  if (!changes && !looking.has(kind)) return `uses a tool of the kind ${kind}`;
  // Some agents call a program by what it seems to do: a `cat` is a reading to them.
  if (runsSomething(call.rawInput)) return 'runs a program';
  const paths = pathsOf(call);
  if (paths === undefined) return 'is given more than can be looked through';
  if (changes && paths.length === 0) return 'does not say which file it changes';
  for (const named of paths) {
    const placed = placeOf(named, place);
    if (placed === undefined) return 'works outside the workspace';
    const why = changes && placed !== '' ? whyProtected(placed, place) : undefined;
    if (why !== undefined) return `changes a file that ${why}`;
  }
  return undefined;
}

function runsSomething(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false;
  return Object.entries(input).some(
    ([key, value]) =>
      commandKey.test(key) &&
      value !== null &&
      value !== undefined &&
      !(typeof value === 'string' && editorWords.test(value)),
  );
}

/** Every path that the call tells of, in its own fields and in what the tool is given; undefined: it is too much. */
function pathsOf(call: Partial<ToolCallUpdate>): string[] | undefined {
  const found: string[] = (call.locations ?? []).map((location) => location.path);
  for (const part of call.content ?? []) if (part.type === 'diff') found.push(part.path);
  return collect(call.rawInput, found, 0) ? found : undefined;
}

/** False for what is nested too deep. */
function collect(value: unknown, found: string[], depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth > deepest) return false;
  for (const [key, entry] of Object.entries(value as Record<string, unknown>)) {
    if (pathKey.test(key)) {
      if (typeof entry === 'string') found.push(entry);
      if (Array.isArray(entry)) found.push(...entry.filter((item) => typeof item === 'string'));
    }
    // One agent names the files of a patch by the keys of a record.
    if (key === 'changes' && typeof entry === 'object' && entry !== null && !Array.isArray(entry)) {
      found.push(...Object.keys(entry));
    }
    if (!collect(entry, found, depth + 1)) return false;
  }
  return true;
}

function withoutNull<T extends object>(value: T): Partial<T> {
  const entries = Object.entries(value).filter(([, entry]) => entry !== null && entry !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}

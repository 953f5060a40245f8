/**
 * Context keys for the manifest (`viewsWelcome`, menus). Set by `jobs-tree.ts` and by nobody else.
 *
 * - `docsAgent.state`: a {@link ViewState}. Welcome views are for `noFolder`, `noProject`, `keyGone`,
 *   `noKey`, `unreachable` and `empty`; nothing is shown at `loading`, and rows at `list`.
 * - `docsAgent.hasRunningJobs`, `docsAgent.hasUnseenResults`: booleans.
 */
export const contextKeys = {
  state: 'docsAgent.state',
  hasRunningJobs: 'docsAgent.hasRunningJobs',
  hasUnseenResults: 'docsAgent.hasUnseenResults',
} as const;

export const viewStates = [
  /** The ledger has not been read yet. */
  'loading',
  'noFolder',
  'noProject',
  'keyGone',
  'noKey',
  'unreachable',
  'empty',
  'list',
] as const;
export type ViewState = (typeof viewStates)[number];

/** What is open and how the chosen service stands, apart from its jobs. */
export interface Situation {
  readonly hasFolder: boolean;
  /** At least one folder is a docs project. */
  readonly hasProject: boolean;
  /** `gone`: one was saved and cannot be read back. The local service needs none. */
  readonly key: 'notNeeded' | 'saved' | 'missing' | 'gone';
  /** The last thing tried at the service failed by network or because it did not start. */
  readonly isUnreachable: boolean;
}

export function viewStateOf(jobs: number | undefined, situation: Situation | undefined): ViewState {
  if (jobs === undefined) return 'loading';
  // Jobs are worth seeing whatever is open now.
  if (jobs > 0) return 'list';
  if (situation === undefined) return 'loading';
  if (!situation.hasFolder) return 'noFolder';
  if (!situation.hasProject) return 'noProject';
  if (situation.key === 'gone') return 'keyGone';
  if (situation.key === 'missing') return 'noKey';
  return situation.isUnreachable ? 'unreachable' : 'empty';
}

import * as vscode from 'vscode';
import { savedNames } from './agent-settings.ts';
import { commandIds, viewIds } from './command-table.ts';
import { entryKey } from './job-entry.ts';
import type { JobEntry } from './job-entry.ts';
import type { EntryChange, JobModel } from './job-model.ts';
import {
  areSeveralProjects,
  groupIds,
  groupLabel,
  groupOf,
  jobRow,
  type GroupId,
  type JobRow,
} from './job-rows.ts';
import { withoutLinks } from './plain-words.ts';
import { contextKeys, viewStateOf, type Situation } from './view-state.ts';

/** Ages are told in minutes, so a row is never more than half of one behind. In milliseconds. */
const ageRefreshMs = 30_000;

/** What menus and commands of a row get. */
export interface JobElement {
  readonly kind: 'job';
  readonly key: string;
  /** The entry as it is now; as it last was when the job has been forgotten meanwhile. */
  readonly entry: JobEntry;
}
interface GroupElement {
  readonly kind: 'group';
  readonly id: GroupId;
}
export type TreeElement = JobElement | GroupElement;

/** The view `docsAgent.jobs`: reads the model, repaints the one row that changed. */
export class JobsTree implements vscode.TreeDataProvider<TreeElement>, vscode.Disposable {
  readonly #model: JobModel;
  readonly #now: () => number;
  readonly #changed = new vscode.EventEmitter<TreeElement | undefined>();
  readonly #view: vscode.TreeView<TreeElement>;
  readonly #disposables: vscode.Disposable[] = [this.#changed];
  readonly #groups: ReadonlyMap<GroupId, GroupElement> = new Map(
    groupIds.map((id) => [id, { kind: 'group', id } as const]),
  );
  /** One object for each job, for VS Code knows elements by identity. */
  readonly #elements = new Map<string, JobElement>();
  readonly #rows = new Map<string, JobRow>();
  readonly #context = new Map<string, unknown>();
  #shape = '';
  #loaded = false;
  #situation: Situation | undefined;
  #timer: NodeJS.Timeout | undefined;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(model: JobModel, now: () => number) {
    this.#model = model;
    this.#now = now;
    this.#view = vscode.window.createTreeView<TreeElement>(viewIds.jobs, { treeDataProvider: this });
    this.#disposables.push(
      this.#view,
      model.onDidChange((changes) => this.#onChanges(changes)),
      this.#view.onDidChangeVisibility(() => this.#keepAges()),
      { dispose: () => clearInterval(this.#timer) },
    );
    this.#surroundings();
  }

  /** The ledger has been read, so an empty list means that there are no jobs. */
  setLoaded(): void {
    this.#loaded = true;
    this.#surroundings();
  }

  /** What is open and how the service stands; decides which welcome text an empty list shows. */
  setSituation(situation: Situation): void {
    this.#situation = situation;
    this.#surroundings();
  }

  /** Hears when the list comes into sight. */
  onDidShow(listener: () => void): vscode.Disposable {
    return this.#view.onDidChangeVisibility(({ visible }) => {
      if (visible) listener();
    });
  }

  /** Selects a job without taking the focus from the editor. */
  async reveal(key: string): Promise<void> {
    if (this.#model.get(key) === undefined) return;
    await this.#view.reveal(this.#element(key), { select: true, focus: false });
  }

  getChildren(element?: TreeElement): TreeElement[] {
    const now = this.#now();
    if (element === undefined) {
      this.#shape = this.#shapeNow();
      const present = new Set(this.#model.entries.map((entry) => groupOf(entry, now)));
      return [...this.#groups.values()].filter(({ id }) => present.has(id));
    }
    if (element.kind === 'job') return [];
    return this.#model.entries
      .filter((entry) => groupOf(entry, now) === element.id)
      .map((entry) => this.#element(entryKey(entry)));
  }

  getParent(element: TreeElement): TreeElement | undefined {
    return element.kind === 'job' ? this.#groups.get(groupOf(element.entry, this.#now())) : undefined;
  }

  getTreeItem(element: TreeElement): vscode.TreeItem {
    return element.kind === 'group' ? this.#groupItem(element) : this.#jobItem(element);
  }

  dispose(): void {
    vscode.Disposable.from(...this.#disposables).dispose();
  }

  #groupItem({ id }: GroupElement): vscode.TreeItem {
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(groupLabel(id, vscode.l10n.t), id === 'archived' ? Collapsed : Expanded);
    item.id = `group:${id}`;
    item.contextValue = `group ${id}`;
    return item;
  }

  #jobItem({ key, entry }: JobElement): vscode.TreeItem {
    const row = this.#row(entry);
    this.#rows.set(key, row);
    const item = new vscode.TreeItem(row.label, vscode.TreeItemCollapsibleState.None);
    item.id = key;
    item.description = row.description;
    const { color } = row.icon;
    item.iconPath = new vscode.ThemeIcon(
      row.icon.id,
      color === undefined ? undefined : new vscode.ThemeColor(color),
    );
    item.contextValue = row.contextValue;
    item.accessibilityInformation = { label: row.accessibilityLabel };
    const tooltip = new vscode.MarkdownString(row.tooltip, false);
    tooltip.isTrusted = false;
    tooltip.supportHtml = false;
    item.tooltip = tooltip;
    item.command = { command: commandIds.showJob, title: vscode.l10n.t('Show Job'), arguments: [key] };
    return item;
  }

  #row(entry: JobEntry): JobRow {
    return jobRow(entry, {
      now: this.#now(),
      t: vscode.l10n.t,
      clock: timeOfDay,
      severalProjects: areSeveralProjects(this.#model.entries),
      names: savedNames(),
    });
  }

  #element(key: string): JobElement {
    let element = this.#elements.get(key);
    if (element === undefined) {
      const model = this.#model;
      let last = model.get(key);
      element = {
        kind: 'job',
        key,
        get entry() {
          last = model.get(key) ?? last;
          if (last === undefined) throw new Error('A row was made for a job that never was.');
          return last;
        },
      };
      this.#elements.set(key, element);
    }
    return element;
  }

  #onChanges(changes: readonly EntryChange[]): void {
    for (const { key, after } of changes) {
      if (after !== undefined) continue;
      this.#elements.delete(key);
      this.#rows.delete(key);
    }
    this.#surroundings();
    if (this.#shapeNow() !== this.#shape) {
      this.#repaintAll();
      return;
    }
    for (const { key } of changes) this.#repaint(key);
  }

  /** Which rows are in which group, and whether rows name their project. */
  #shapeNow(): string {
    const entries = this.#model.entries;
    const now = this.#now();
    return JSON.stringify([areSeveralProjects(entries), entries.map((e) => [groupOf(e, now), entryKey(e)])]);
  }

  #repaintAll(): void {
    this.#shape = this.#shapeNow();
    this.#changed.fire(undefined);
  }

  /** Fires only for a row that was shown and now looks different. */
  #repaint(key: string): void {
    const shown = this.#rows.get(key);
    const entry = this.#model.get(key);
    if (shown === undefined || entry === undefined) return;
    if (JSON.stringify(this.#row(entry)) !== JSON.stringify(shown)) this.#changed.fire(this.#element(key));
  }

  #keepAges(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (!this.#view.visible || this.#model.counts.total === 0) return;
    this.#timer = setInterval(() => this.#refreshAges(), ageRefreshMs);
    this.#refreshAges();
  }

  #refreshAges(): void {
    // A create that was never answered changes its group by the clock alone.
    if (this.#shapeNow() !== this.#shape) this.#repaintAll();
    else for (const key of this.#rows.keys()) this.#repaint(key);
  }

  /** Badge, message and context keys. */
  #surroundings(): void {
    const { running, unseen, total } = this.#model.counts;
    if (this.#view.badge?.value !== (unseen === 0 ? undefined : unseen)) {
      const tooltip = unseen === 1 ? vscode.l10n.t('1 new result') : vscode.l10n.t('{0} new results', unseen);
      this.#view.badge = unseen === 0 ? undefined : { value: unseen, tooltip };
    }
    const services = new Set(this.#model.entries.map(({ service }) => service));
    const problems = new Set([...services].map((service) => this.#model.problemAt(service)?.message));
    const message = [...problems].filter((text) => text !== undefined).join(' ');
    this.#view.message = message === '' ? undefined : withoutLinks(message);
    this.#setContext(
      contextKeys.state,
      viewStateOf(this.#loaded || total > 0 ? total : undefined, this.#situation),
    );
    this.#setContext(contextKeys.hasRunningJobs, running > 0);
    this.#setContext(contextKeys.hasUnseenResults, unseen > 0);
    if ((this.#view.visible && total > 0) !== (this.#timer !== undefined)) this.#keepAges();
  }

  #setContext(key: string, value: unknown): void {
    if (this.#context.get(key) === value) return;
    this.#context.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}

/** As `14:02` or `2:02 PM`, by the editor's language. */
function timeOfDay(at: number): string {
  return new Date(at).toLocaleTimeString(vscode.env.language, { hour: 'numeric', minute: '2-digit' });
}

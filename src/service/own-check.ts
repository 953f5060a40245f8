import type { Project } from '../contract/project.ts';
import {
  maxRepositorySettingsBytes,
  parseRepositorySettings,
  repositorySettingsName,
} from '../contract/repository-settings.ts';
import { codeSpan } from './neutralise.ts';
import type { CheckCommand } from './ports/check-command.ts';
import type { Workspace, Workspaces } from './ports/workspaces.ts';

export interface OwnCheckDeps {
  readonly workspaces: Pick<Workspaces, 'change'>;
  /** Absent: this service runs none. */
  readonly checkCommand?: CheckCommand;
  readonly redact: (text: string) => string;
}

/** What the repository's own check told about a commit. */
export interface OwnCheckReport {
  /** What it says now and did not say before the job, a line each; the first one says that it failed. */
  readonly problems: readonly string[];
  /** How it went when there is no problem to tell, as one sentence. */
  readonly note?: string;
}

const nothing: OwnCheckReport = { problems: [] };

/** Lines of output that are told of one run. */
const toldLines = 40;
const maxLine = 500;

/**
 * What a page is made of. A command reads everything else as orders: package scripts, plugins and
 * configuration of a linter or a generator.
 */
const content =
  /\.(?:md|mdx|markdown|rst|adoc|txt|png|jpe?g|gif|webp|avif|ico|mp4|webm|pdf|csv)$|(?:^|\/)(?:docs|mint|_meta)\.json$/i;

/**
 * The check command that a repository names in its own settings. It runs only when the person has allowed
 * that very line, on a copy of the job's commit, and only where the job has changed nothing but pages: a
 * command that obeys a file that an agent wrote is not the one that was allowed.
 */
export class OwnCheck {
  readonly #workspace: Workspace;
  readonly #project: Project;
  readonly #deps: OwnCheckDeps;
  /** How often it wrote each line before the job; undefined: it passed. */
  #before: Promise<ReadonlyMap<string, number> | undefined> | undefined;

  constructor(workspace: Workspace, project: Project, deps: OwnCheckDeps) {
    this.#workspace = workspace;
    this.#project = project;
    this.#deps = deps;
  }

  /** Throws the signal's reason. */
  async run(commit: string, signal: AbortSignal): Promise<OwnCheckReport> {
    // As it stood before the agent, which cannot change it.
    const text = await this.#workspace.readParent([repositorySettingsName], maxRepositorySettingsBytes);
    if (text === undefined) return nothing;
    const settings = parseRepositorySettings(text);
    if (settings === undefined) {
      return {
        problems: [],
        note: `${codeSpan(repositorySettingsName)} cannot be used and was passed over.`,
      };
    }
    const { check: command } = settings;
    const { checkCommand } = this.#deps;
    if (command === undefined || checkCommand === undefined) return nothing;
    const name = codeSpan(this.#deps.redact(command));
    const wasNot = (why: string): OwnCheckReport => ({
      problems: [],
      note: `The repository's own check ${name} was not run: ${why}`,
    });
    if (this.#project.allowedCheck !== command) return wasNot('nobody has allowed it for this repository.');
    const foreign = await this.#foreignFile(commit);
    if (foreign !== undefined) {
      return wasNot(`the change has a file that could steer it, ${codeSpan(foreign)}.`);
    }
    const run = async (at: string) => {
      await using copy = await this.#workspace.openCopy(at);
      return await checkCommand.run(command, copy.directory, signal);
    };
    const after = await run(commit);
    if (after.kind === 'passed') return { problems: [], note: `The repository's own check ${name} passed.` };
    if (after.kind === 'broken_off') return wasNot(after.why);
    // What failed before fails for other reasons: only what is new counts.
    this.#before ??= run(this.#workspace.parentCommit).then((before) =>
      before.kind === 'passed' ? undefined : countLines(before.kind === 'failed' ? before.output : ''),
    );
    const before = await this.#before;
    const fresh = newLines(after.output, before ?? new Map());
    if (before !== undefined && fresh.length === 0) {
      return {
        problems: [],
        note: `The repository's own check ${name} fails as it did before, and says nothing new.`,
      };
    }
    const told = fresh.slice(0, toldLines);
    if (fresh.length > told.length) told.push(`and ${fresh.length - told.length} more lines`);
    const how = before === undefined ? 'It passed before.' : 'It failed before too; this is new:';
    return {
      problems: [
        `The repository's own check ${name} fails with exit code ${after.exitCode}. ${how}`,
        ...told,
      ],
    };
  }

  /** A file that the whole job changed, not only this message, and that is more than a page. */
  async #foreignFile(commit: string): Promise<string | undefined> {
    const change = await this.#deps.workspaces.change(this.#project, this.#workspace.baseCommit, commit);
    return change.files
      .flatMap(({ path, previousPath = path }) => [path, previousPath])
      .find((path) => !content.test(path));
  }
}

/** Numbers move when a page changes, so they do not count. */
function nameOf(line: string): string {
  return line.replace(/\d+/g, '0').trim();
}

function linesOf(output: string): string[] {
  return output.split(/\r?\n/).filter((line) => line.trim() !== '');
}

function countLines(output: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of linesOf(output)) counts.set(nameOf(line), (counts.get(nameOf(line)) ?? 0) + 1);
  return counts;
}

function newLines(output: string, before: ReadonlyMap<string, number>): string[] {
  const known = new Map(before);
  return linesOf(output).flatMap((line) => {
    const left = known.get(nameOf(line)) ?? 0;
    if (left > 0) {
      known.set(nameOf(line), left - 1);
      return [];
    }
    return [line.trimEnd().slice(0, maxLine)];
  });
}

import assert from 'node:assert/strict';
import { createRulesAgent } from '../../src/adapters/agents/rules/rules-agent.ts';
import type { AgentResult, AgentTask } from '../../src/service/ports/agent.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { changesBetween, readTree, writeTree } from './docs-trees.ts';
import type { DocsTree } from './docs-trees.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const never = new AbortController().signal;

/** Runs one prompt of the rules agent on a folder. */
export function runRules(
  directory: string,
  prompt: string,
  task: Partial<AgentTask> = {},
): Promise<AgentResult> {
  return createRulesAgent().run({
    prompt,
    earlier: [],
    directory,
    docsRoot: '',
    outsideDocsRoot: false,
    signal: never,
    onProgress: () => undefined,
    ...task,
  });
}

/** Runs a prompt on a project and gives what changed, file by file. */
export async function changesOf(tree: DocsTree, prompt: string, task: Partial<AgentTask> = {}) {
  await using folder = await temporaryFolder();
  await writeTree(folder.path, tree);
  const before = await readTree(folder.path);
  const result = await runRules(folder.path, prompt, task);
  const after = await readTree(folder.path);
  return { ...result, changes: changesBetween(before, after), after };
}

/** The refusal of a prompt, which must not have changed anything. */
export async function refusal(
  tree: DocsTree,
  prompt: string,
  task: Partial<AgentTask> = {},
): Promise<ServiceError> {
  await using folder = await temporaryFolder();
  await writeTree(folder.path, tree);
  const before = await readTree(folder.path);
  const error: unknown = await runRules(folder.path, prompt, task).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ServiceError, `no refusal of ${prompt}`);
  assert.equal(error.code, 'prompt_not_understood');
  assert.deepEqual(await readTree(folder.path), before);
  return error;
}

import { createPageTools } from '../../src/adapters/agents/model/tools/page-tools.ts';
import type { ToolName } from '../../src/adapters/agents/model/tools/tool-table.ts';
import { createRulesAgent } from '../../src/adapters/agents/rules/rules-agent.ts';
import type { ToolAnswer, ToolPlace } from '../../src/service/ports/page-tools.ts';
import { readTree, writeTree } from './docs-trees.ts';
import type { DocsTree } from './docs-trees.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A workspace with pages, and the tools of a model on it. */
export async function toolWorld(tree: DocsTree, place: Partial<ToolPlace> = {}) {
  const folder = await temporaryFolder();
  await writeTree(folder.path, tree);
  const tools = createPageTools({ rules: createRulesAgent() });
  const here: ToolPlace = { directory: folder.path, docsRoot: '', outsideDocsRoot: false, ...place };
  const never = new AbortController().signal;
  return {
    path: folder.path,
    use: (name: ToolName, input: unknown): Promise<ToolAnswer> => tools.use({ name, input }, here, never),
    useAny: (name: string, input: unknown): Promise<ToolAnswer> => tools.use({ name, input }, here, never),
    files: (): Promise<Record<string, string>> => readTree(folder.path),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** The version that an answer tells. */
export function versionIn(answer: ToolAnswer): string {
  return /[Vv]ersion ([0-9a-f]{12})/.exec(answer.text)?.[1] ?? '';
}

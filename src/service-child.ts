import { createRulesAgent } from './adapters/agents/rules/rules-agent.ts';
import { serveChild } from './adapters/child-process/serve-child.ts';
import { checkDocsChange } from './docset/change-checks.ts';

// The back room of door 2: composition root of a child process, which holds the parsers and nothing else.
serveChild({
  agent: createRulesAgent(),
  check: checkDocsChange,
  tools: { use: async ({ name }) => ({ text: `There is no tool ${name}.`, failed: true }) },
});

import { createPageTools } from './adapters/agents/model/tools/page-tools.ts';
import { createRulesAgent } from './adapters/agents/rules/rules-agent.ts';
import { serveChild } from './adapters/child-process/serve-child.ts';
import { checkDocsChange } from './docset/change-checks.ts';

const rules = createRulesAgent();

// The back room of door 2: composition root of a child process, which holds the parsers and nothing else.
serveChild({ agent: rules, check: checkDocsChange, tools: createPageTools({ rules }) });

import { createRulesAgent } from './adapters/agents/rules/rules-agent.ts';
import { serveThread } from './adapters/threads/serve-thread.ts';
import { checkPages } from './docset/checks.ts';

// The back room of door 2: composition root of a thread, which holds the parsers and nothing else.
serveThread({ agent: createRulesAgent(), check: checkPages });

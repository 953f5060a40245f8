import { describeAgents } from '../support/agent-conformance.ts';
import { agentKinds } from '../support/agent-kinds.ts';

describeAgents(agentKinds);

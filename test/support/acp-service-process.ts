/**
 * A service process that runs one agent until it is killed: `STAND-FOLDER COMMAND`. Prints every phrase that the
 * agent tells on a line of its own.
 */
import path from 'node:path';
import { createAcpAgent } from '../../src/adapters/agents/acp/acp-agent.ts';
import type { AcpCommand } from '../../src/contract/agents.ts';

const [folder = '', command = ''] = process.argv.slice(2);
const agent = createAcpAgent(JSON.parse(command) as AcpCommand, {
  machine: { env: process.env, platform: process.platform, home: folder },
  folder: path.join(folder, 'data'),
  redact: (text) => text,
  version: '9.9.9',
});
await agent.run({
  prompt: 'Run on.',
  earlier: [],
  directory: path.join(folder, 'job', 'tree'),
  docsRoot: '',
  outsideDocsRoot: false,
  signal: new AbortController().signal,
  onProgress: (message) => process.stdout.write(`${message}\n`),
});

import { format } from 'node:util';

/**
 * First words of what the editor says about itself. The native modules that were not compiled (log
 * writer, watchdog) complain at every start; the rest is about sockets and galleries.
 */
const noise = [
  'Error: Could not locate the bindings file',
  'Cannot find module ',
  'Resolving connection token',
  'Resolved connection token',
  'Creating a socket',
  '[reconnection-grace-time]',
  'Updating additional builtin extensions',
  '[Service Worker]',
  '[AgentHost',
  '[AccountPolicyGate]',
  'Error while fetching',
  'Uncaught (in promise) Error: ENOPRO',
  'Ignoring fetching additional builtin extensions',
  'No search provider registered',
  'Creation of workbench contribution',
  'Timed out waiting for authentication provider',
  'ChatSessionStore:',
];

/** What one console call of the editor prints, or undefined when it is about the editor itself. */
export function consoleText(args: readonly unknown[]): string | undefined {
  const text = format(...args);
  return noise.some((start) => text.startsWith(start)) ? undefined : text;
}

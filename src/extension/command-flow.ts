import path from 'node:path';
import * as vscode from 'vscode';
import { acpCommandSchema, type AcpCommand } from '../contract/agents.ts';
import { freeId } from './agent-values.ts';
import { splitCommandLine } from './command-line.ts';
import { askSteps, askText, type StepResult } from './multi-step.ts';

/** Asks for a program that speaks the Agent Client Protocol. Nothing is run or saved here. */
export async function askCommand(existing: readonly AcpCommand[]): Promise<StepResult<AcpCommand>> {
  const asked = await askSteps<{ readonly line: string; readonly name: string }>(
    { title: vscode.l10n.t('Add an Agent Command'), hasBack: true },
    [
      async (known, place) => {
        const result = await askText(place, {
          prompt: vscode.l10n.t(
            'Command that starts the agent, as in a terminal. It runs with your rights, so add only what you trust.',
          ),
          placeholder: 'my-agent --acp',
          value: known.line,
          validate: (text) =>
            commandOf(text, 'x', []) === undefined
              ? vscode.l10n.t('Give the program, and behind it what it is started with.')
              : undefined,
        });
        return result.kind === 'done' ? { kind: 'done', value: { ...known, line: result.value } } : result;
      },
      async (known, place) => {
        const [program = ''] = splitCommandLine(known.line);
        const result = await askText(place, {
          prompt: vscode.l10n.t('Name of the agent in your lists'),
          value: known.name || programName(program),
          validate: (text) =>
            commandOf(known.line, text, []) === undefined
              ? vscode.l10n.t('A name has one to 60 characters.')
              : undefined,
        });
        return result.kind === 'done' ? { kind: 'done', value: { ...known, name: result.value } } : result;
      },
    ],
    { line: '', name: '' },
  );
  if (asked.kind !== 'done') return asked;
  const command = commandOf(asked.value.line, asked.value.name, existing);
  return command === undefined ? { kind: 'cancelled' } : { kind: 'done', value: command };
}

function commandOf(line: string, name: string, existing: readonly AcpCommand[]): AcpCommand | undefined {
  const [command, ...args] = splitCommandLine(line);
  const id = freeId(
    name,
    existing.map((each) => each.id),
  );
  return acpCommandSchema.safeParse({ id, name: name.trim(), command, args }).data;
}

/** Paths of either platform: the settings may be of another machine. */
function programName(program: string): string {
  return path.win32.basename(program).replace(/\.(?:exe|cmd|bat|js|mjs|cjs)$/i, '');
}

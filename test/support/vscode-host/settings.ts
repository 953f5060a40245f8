import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A quiet editor: nothing that greets, asks, updates or talks to anybody. */
const quiet = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  // Nothing fades in: pictures are sharp, and what is there can be used.
  'workbench.reduceMotion': 'on',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  // In a browser it would save by itself: what is not saved could not be looked at.
  'files.autoSave': 'off',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'git.openRepositoryInParentFolders': 'never',
  'git.autofetch': false,
  // Other programs of this machine are none of its business.
  'remote.autoForwardPorts': false,
  'security.workspace.trust.startupPrompt': 'never',
};

/** Writes the user settings of an editor before its first start. `more` wins over the quiet ones. */
export async function writeUserSettings(
  dataFolder: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const folder = path.join(dataFolder, 'data', 'User');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'settings.json'), JSON.stringify({ ...quiet, ...more }, undefined, 2));
}

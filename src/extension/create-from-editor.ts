import * as vscode from 'vscode';
import type { CreateJobFlow } from './create-job.ts';
import { localServiceId } from './job-entry.ts';
import { requireTrust } from './job-target.ts';
import type { PromptDocuments } from './prompt-documents.ts';
import { draftFor, promptFromLink, type PromptContext } from './prompt-text.ts';
import { findProject } from './docs-projects.ts';
import { chosenService } from './service-connection.ts';
import { UserError } from './user-error.ts';

/**
 * Begins a prompt about the selection, the page, or what was clicked in the explorer. `argument` is the
 * clicked file or folder; an editor's menu passes its page.
 */
export async function createFromEditor(
  flow: CreateJobFlow,
  documents: PromptDocuments,
  argument: unknown,
): Promise<void> {
  requireTrust();
  const editor = vscode.window.activeTextEditor;
  const clicked = argument instanceof vscode.Uri ? argument : editor?.document.uri;
  const folder = clicked === undefined ? undefined : vscode.workspace.getWorkspaceFolder(clicked);
  if (clicked === undefined || folder === undefined) {
    throw new UserError('no_page', vscode.l10n.t('Open a page of your docs project first.'), {
      remedies: ['createJob'],
    });
  }
  const context = await contextOf(clicked, editor, folder);
  const draft = draftFor(context, chosenService().id === localServiceId);
  if (draft.isShort) {
    await flow.askAndSend({ text: draft.text, cursor: draft.cursor, near: clicked });
  } else {
    await documents.open(draft.text, draft.cursor, folder.uri);
  }
}

async function contextOf(
  clicked: vscode.Uri,
  editor: vscode.TextEditor | undefined,
  folder: vscode.WorkspaceFolder,
): Promise<PromptContext> {
  const path = await placeOf(clicked, folder);
  const isPage = editor?.document.uri.toString() === clicked.toString();
  if (!isPage || editor.selection.isEmpty) return { kind: 'place', path };
  const { selection } = editor;
  const text = editor.document.getText(selection);
  // A selection of whole lines ends at the beginning of the next one.
  const endsBefore = selection.end.character === 0 && selection.end.line > selection.start.line;
  return text.trim() === ''
    ? { kind: 'place', path }
    : {
        kind: 'selection',
        path,
        text,
        firstLine: selection.start.line + 1,
        lastLine: selection.end.line + (endsBefore ? 0 : 1),
      };
}

/** Below the docs project, because that is the agent's world; with `/`, and one at the end of a folder. */
async function placeOf(uri: vscode.Uri, folder: vscode.WorkspaceFolder): Promise<string> {
  const project = await findProject(folder);
  const root = `${(project?.uri ?? folder.uri).path.replace(/\/$/, '')}/`;
  const base = uri.path.startsWith(root) ? root : `${folder.uri.path.replace(/\/$/, '')}/`;
  const path = uri.path.slice(base.length);
  const isFolder = await vscode.workspace.fs.stat(uri).then(
    ({ type }) => (type & vscode.FileType.Directory) !== 0,
    () => false,
  );
  return isFolder && path !== '' ? `${path}/` : path;
}

/**
 * Takes `…/createJob?prompt=…`. Whoever made the link is unknown, so its prompt is only shown, in an editor
 * where all of it can be read; sending it is the writer's decision.
 */
export function linkHandler(
  documents: PromptDocuments,
  onError: (error: unknown) => void,
): vscode.UriHandler {
  return {
    handleUri: async (uri) => {
      try {
        requireTrust();
        if (uri.path !== '/createJob') return;
        // VS Code has decoded it already, so an `&` may belong to the prompt.
        const prompt = promptFromLink(/(?:^|&)prompt=(.*)$/s.exec(uri.query)?.[1]);
        if (prompt === '') return;
        const note = vscode.l10n.t('This prompt came with a link. Read it before you send it.');
        await documents.open(`<!-- ${note} -->\n\n${prompt.replaceAll(/<!--|-->/g, '')}\n`, 0, undefined);
      } catch (error) {
        onError(error);
      }
    },
  };
}

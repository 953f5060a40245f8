/** One version of VS Code that the tests run on, as the npm registry has it. */
export interface EditorRelease {
  /** VS Code's version. */
  readonly version: string;
  /** The npm package whose `lib/vscode` is that version's server and workbench. */
  readonly codeServer: string;
  /** The exact `node` package that this version wants, or `running`: the Node that runs this is right. */
  readonly node: 'running' | `${number}.${number}.${number}`;
  /** A dependency that is named by an address outside the registry, with its version inside. */
  readonly replaced?: { readonly name: string; readonly version: string };
}

export const editorReleases = {
  current: { version: '1.139.1', codeServer: '4.139.1', node: 'running' },
  /** The oldest version of `engines.vscode`; several forks stand there. */
  floor: {
    version: '1.105.1',
    codeServer: '4.105.1',
    node: '22.23.3',
    replaced: { name: '@parcel/watcher', version: '2.5.6' },
  },
} as const satisfies Record<string, EditorRelease>;

export type ReleaseName = keyof typeof editorReleases;

/** Names the release that a launched editor should be; the environment carries it to the launcher. */
export const releaseVariable = 'DOCS_AGENT_TEST_EDITOR';

/**
 * Path of a desktop VS Code to use instead, or `download` where VS Code's own downloads can be reached.
 */
export const desktopVariable = 'DOCS_AGENT_DESKTOP_EDITOR';

export function isReleaseName(value: string): value is ReleaseName {
  return value in editorReleases;
}

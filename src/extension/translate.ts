/** As `vscode.l10n.t`: `{0}` stands for the first argument. Pure files take it as an argument. */
export type Translate = (message: string, ...args: (string | number)[]) => string;

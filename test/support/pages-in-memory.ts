import type { PageTools, ToolAnswer, ToolCall, ToolPlace } from '../../src/service/ports/page-tools.ts';

/** Tools on pages that exist only here; they answer as roughly as the loop around a model can tell apart. */
export class PagesInMemory implements PageTools {
  readonly pages: Map<string, string>;
  /** What was asked for, without what the agent looks at by itself before it begins. */
  readonly calls: ToolCall[] = [];
  /** Called before each answer. */
  before: (call: ToolCall) => void = () => undefined;

  constructor(pages: Readonly<Record<string, string>> = { 'docs/index.md': 'Click *log in* to start.\n' }) {
    this.pages = new Map(Object.entries(pages));
  }

  async use(call: ToolCall, _place: ToolPlace, signal: AbortSignal): Promise<ToolAnswer> {
    signal.throwIfAborted();
    this.before(call);
    this.calls.push(call);
    const input = (call.input ?? {}) as Record<string, unknown>;
    const textOf = (name: string): string => (typeof input[name] === 'string' ? input[name] : '');
    const path = textOf('path');
    const text = this.pages.get(path);
    const failed = (why: string): ToolAnswer => ({ text: why, failed: true });
    switch (call.name) {
      case 'list_files':
        return { text: [...this.pages.keys()].join('\n'), failed: false };
      case 'read_file':
        return text === undefined ? failed(`There is no file ${path}.`) : { text, failed: false };
      case 'search': {
        const hits = [...this.pages].filter(([, page]) => page.includes(textOf('query')));
        return { text: hits.map(([name]) => name).join('\n') || 'Nothing found.', failed: false };
      }
      case 'write_file':
        if (path.includes('..')) return failed('This path leaves the project.');
        this.pages.set(path, textOf('content'));
        return { text: `Wrote ${path}.`, failed: false };
      default:
        return failed(`There is no tool ${call.name}.`);
    }
  }
}

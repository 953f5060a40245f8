import { serveThread } from '../../src/adapters/threads/serve-thread.ts';
import { ServiceError } from '../../src/service/service-error.ts';

/** A thread whose agent does what the prompt names, for better or worse. */
serveThread({
  agent: {
    name: 'trap',
    repairs: false,
    run: async ({ prompt, signal, onProgress }) => {
      onProgress(`at ${prompt}`);
      const hoard: string[][] = [];
      switch (prompt) {
        case 'named':
          throw new ServiceError('prompt_not_understood', 'Say it otherwise.', { cause: new Error('why') });
        case 'odd':
          throw Object.assign(new TypeError('odd'), { helper: () => undefined });
        case 'spin':
          for (;;) if (hoard.length > 0) break;
          break;
        case 'listen':
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          signal.throwIfAborted();
          break;
        case 'hoard':
          for (;;) hoard.push(Array.from({ length: 1_000 }, (_, index) => `${index}`));
        case 'exit':
          process.exit(3);
      }
      return { title: prompt, summary: JSON.stringify(process.env) };
    },
  },
  check: async (directory, docsRoot, paths) =>
    paths.map((path) => ({ kind: 'link', path, line: 1, message: `${directory} ${docsRoot}` })),
});

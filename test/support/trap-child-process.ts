import { serveChild } from '../../src/adapters/child-process/serve-child.ts';
import { ServiceError } from '../../src/service/service-error.ts';

/** A child whose agent does what the prompt names, for better or worse. */
serveChild({
  agent: {
    name: 'trap',
    repairs: false,
    run: async ({ prompt, signal, onProgress }) => {
      onProgress(`at ${prompt} in ${process.pid}`);
      const hoard: unknown[] = [];
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
        case 'swallow':
          // One allocation larger than all that is left.
          for (;;) hoard.push(Array.from({ length: 4_000_000 }, (_, index) => ({ index })));
        case 'exit':
          process.exit(3);
        case 'throw':
          setImmediate(() => {
            throw new Error('Nobody caught it.');
          });
          return new Promise(() => undefined);
        case 'die':
          process.kill(process.pid, 'SIGKILL');
      }
      const { env, execArgv } = process;
      return { title: prompt, summary: JSON.stringify({ env, cwd: process.cwd(), execArgv }) };
    },
  },
  check: async ({ directory, docsRoot, files }) =>
    files.map(({ path }) => ({ kind: 'link', path, line: 1, message: `${directory} ${docsRoot}` })),
  tools: {
    use: async ({ name, input }, { directory, outsideDocsRoot }, signal) => {
      if (name === 'listen') await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return {
        text: JSON.stringify([process.pid, input, directory, outsideDocsRoot]),
        failed: name === 'bad',
      };
    },
  },
});

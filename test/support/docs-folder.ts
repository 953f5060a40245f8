import path from 'node:path';
import { writeFiles, type Files } from './repositories.ts';

/** The smallest docs project that is recognised, in a folder without git. */
export function docsFolder(parent: string, name: string, files: Files = {}): string {
  const folder = path.join(parent, name);
  writeFiles(folder, {
    'mkdocs.yml': `site_name: ${name}\nnav:\n  - Home: index.md\n`,
    'docs/index.md': `# ${name}\n\nClick *log in* to start.\n`,
    ...files,
  });
  return folder;
}

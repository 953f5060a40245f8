// npm run package: builds the extension and writes its .vsix beside package.json.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { buildExtension, packedFiles, packExtension } from './support/vsix.ts';

const root = path.resolve(import.meta.dirname, '..');
const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as Record<
  string,
  string
>;
const file = path.join(root, `${manifest['name']}-${manifest['version']}.vsix`);
await buildExtension();
await packExtension(file);
const { size } = await stat(file);
console.log(`${path.basename(file)}: ${Math.ceil(size / 1024)} KB, ${(await packedFiles()).length} files`);

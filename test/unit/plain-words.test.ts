import assert from 'node:assert/strict';
import { withoutIcons, withoutLinks } from '../../src/extension/plain-words.ts';

/** As VS Code finds links in notifications and in the prompts of input boxes (`linkedText.ts`). */
const editorsLink = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
/** As VS Code finds icons in labels (`iconLabels.ts`). */
const editorsIcon = /\$\([a-z0-9-]+(?:~[a-z0-9-]+)?\)/i;

describe('Words of others', () => {
  for (const text of [
    '[Fix](command:evil.run)',
    '[[a](https://evil.example)',
    '[x](file:///etc/passwd "t")',
  ]) {
    it(`do not become a link: ${text}`, () => {
      assert.match(text, editorsLink);
      assert.doesNotMatch(withoutLinks(text), editorsLink);
    });
  }
  for (const text of ['$(check)', 'state $(sync~spin) now', '$$(x)']) {
    it(`do not become an icon: ${text}`, () => {
      assert.match(text, editorsIcon);
      assert.doesNotMatch(withoutIcons(text), editorsIcon);
    });
  }
});

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { commandIds, jobCommandNames, viewIds } from '../../src/extension/command-table.ts';
import { settingNames } from '../../src/extension/setting-names.ts';
import { contextKeys, viewStates } from '../../src/extension/view-state.ts';

const root = path.resolve(import.meta.dirname, '../..');

interface MenuItem {
  readonly command: string;
  readonly when?: string;
}
interface Setting {
  readonly scope: string;
  readonly default: unknown;
  readonly enum?: readonly string[];
}
interface Manifest {
  readonly icon: string;
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] };
  };
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly category: string }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly icon: string }[]>>;
    readonly viewsContainers: { readonly activitybar: readonly { readonly id: string }[] };
    readonly viewsWelcome: readonly { readonly when: string; readonly view: string }[];
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
    readonly keybindings: readonly MenuItem[];
    readonly configuration: { readonly properties: Readonly<Record<string, Setting>> };
    readonly walkthroughs: readonly { readonly steps: readonly { readonly media: { markdown: string } }[] }[];
  };
}

const readJson = (name: string): unknown => JSON.parse(readFileSync(path.join(root, name), 'utf8'));
const manifest = readJson('package.json') as Manifest;
const words = readJson('package.nls.json') as Readonly<Record<string, string>>;
const { contributes } = manifest;
const allItems = Object.values(contributes.menus).flat();
const ids: ReadonlySet<string> = new Set(Object.values(commandIds));

/** The source of the extension's room, where context keys are set and contextValue's words are made. */
const source = readdirSync(path.join(root, 'src/extension'))
  .map((name) => readFileSync(path.join(root, 'src/extension', name), 'utf8'))
  .join('\n');

describe('The manifest', () => {
  it('has exactly the commands of the table, each in the category of the product', () => {
    const contributed = contributes.commands.map(({ command }) => command);
    assert.deepEqual([...contributed].sort(), [...ids].sort());
    for (const command of contributes.commands) assert.equal(command.category, 'Docs Agent');
    for (const [name, id] of Object.entries(commandIds)) assert.equal(id, `docsAgent.${name}`);
  });

  it('names only its own commands in menus and keybindings', () => {
    for (const { command } of [...allItems, ...contributes.keybindings]) {
      assert.ok(ids.has(command), `${command} is no command`);
    }
  });

  it('offers every command on a job in the menu of a row', () => {
    const offered = new Set(contributes.menus['view/item/context']?.map(({ command }) => command));
    const onJobs = jobCommandNames.map((name) => commandIds[name]);
    // Of one that failed: another agent may do it.
    assert.deepEqual([...offered].sort(), [...onJobs, commandIds.chooseAgent].sort());
  });

  it('matches rows by words that rows have', () => {
    for (const { when = '' } of contributes.menus['view/item/context'] ?? []) {
      const found = [...when.matchAll(/viewItem =~ \/\\b\(?([\w|]+)\)?\\b\//g)];
      assert.ok(found.length > 0, `no word in: ${when}`);
      for (const word of found.flatMap((match) => (match[1] ?? '').split('|'))) {
        assert.match(source, new RegExp(`['\`]${word}['\`]`), `${word} is no word of a row`);
      }
    }
  });

  it('has the view of the table in its container, with a drawn icon', () => {
    const views = contributes.views[viewIds.container] ?? [];
    assert.deepEqual(
      views.map(({ id }) => id),
      [viewIds.jobs],
    );
    assert.deepEqual(
      contributes.viewsContainers.activitybar.map(({ id }) => id),
      [viewIds.container],
    );
    for (const { icon } of views) assert.ok(existsSync(path.join(root, icon)), icon);
  });

  it('shows its own picture where extensions are listed', () => {
    const png = readFileSync(path.join(root, manifest.icon));
    assert.equal(png.subarray(1, 4).toString('latin1'), 'PNG');
    // VS Code wants 128 pixels at least; width and height stand behind the head.
    for (const at of [16, 20]) assert.ok(png.readUInt32BE(at) >= 128);
  });

  it('welcomes in each state of an empty list, and only in those', () => {
    const welcomed: string[] = contributes.viewsWelcome.map(({ when, view }) => {
      assert.equal(view, viewIds.jobs);
      const found = new RegExp(`^${contextKeys.state} == (\\w+)`).exec(when);
      assert.ok(found, when);
      return found[1] ?? '';
    });
    const empty = viewStates.filter((state) => state !== 'loading' && state !== 'list');
    assert.deepEqual([...new Set(welcomed)].sort(), [...empty].sort());
  });

  it('has the settings of the table, and restricts all of them', () => {
    const own = Object.values(settingNames).map((name) => `docsAgent.${name}`);
    assert.deepEqual(Object.keys(contributes.configuration.properties).sort(), [...own].sort());
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    assert.deepEqual([...restrictedConfigurations].sort(), [...own].sort());
  });

  it('lets no workspace set where the key goes', () => {
    const settings = contributes.configuration.properties;
    assert.equal(settings['docsAgent.service.baseUrl']?.scope, 'application');
    assert.equal(settings['docsAgent.projectId']?.scope, 'resource');
    assert.equal(settings['docsAgent.openPullRequest']?.default, 'automatically');
  });

  it('looks only at context keys that the extension sets', () => {
    const whens = [
      ...[...allItems, ...contributes.keybindings].map(({ when }) => when ?? ''),
      ...contributes.viewsWelcome.map(({ when }) => when),
    ];
    for (const [, name = ''] of whens.flatMap((when) => [...when.matchAll(/\bconfig\.([\w.]+)/g)])) {
      assert.ok(name in contributes.configuration.properties, `${name} is no setting`);
    }
    for (const [key] of whens.flatMap((when) => [...when.matchAll(/(?<!config\.)docsAgent\.\w+/g)])) {
      if (key === viewIds.jobs) continue;
      assert.ok(source.includes(`'${key}'`), `${key} is set nowhere`);
    }
  });

  it('takes every text from the table of words, and uses each', () => {
    const used = [...JSON.stringify(manifest).matchAll(/"%([^%"]+)%"/g)].map((match) => match[1] ?? '');
    assert.deepEqual([...new Set(used)].sort(), Object.keys(words).sort());
    for (const [name, text] of Object.entries(words)) assert.notEqual(text.trim(), '', name);
  });

  it('links in its words to commands that there are', () => {
    for (const [, command = ''] of Object.values(words).flatMap((text) => [
      ...text.matchAll(/\(command:([\w.]+)\)/g),
    ])) {
      if (!command.startsWith('docsAgent.') || command === `${viewIds.jobs}.focus`) continue;
      assert.ok(ids.has(command), `${command} is no command`);
    }
  });

  it('has a page for each step of the walkthrough', () => {
    const pages = contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.markdown));
    assert.ok(pages.length > 0);
    for (const page of pages) assert.ok(existsSync(path.join(root, page)), page);
  });
});

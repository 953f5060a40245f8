import assert from 'node:assert/strict';
import { checkEnvironment } from '../../src/adapters/check-command/check-environment.ts';
import { cleanOutput } from '../../src/adapters/check-command/clean-output.ts';

describe('the environment of a check command', () => {
  it('has programs, a home and a language, and no key, token, proxy or way to agents of keys', () => {
    const env = {
      PATH: '/usr/bin:.:bin::/opt/x/bin:../x',
      HOME: '/home/w',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'C',
      XDG_CACHE_HOME: '/home/w/.cache',
      GITHUB_TOKEN: 'ghp_x',
      OPENAI_API_KEY: 'sk-x',
      HTTPS_PROXY: 'http://user:password@proxy',
      SSH_AUTH_SOCK: '/run/ssh',
      NODE_OPTIONS: '--require /x.js',
      ELECTRON_RUN_AS_NODE: '1',
      LD_PRELOAD: '/x.so',
    };
    assert.deepEqual(checkEnvironment(env, 'linux'), {
      PATH: '/usr/bin:/opt/x/bin',
      HOME: '/home/w',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'C',
      XDG_CACHE_HOME: '/home/w/.cache',
      CI: '1',
      NO_COLOR: '1',
      TERM: 'dumb',
    });
  });

  it('keeps what Windows needs, and lets cmd run nothing that lies among the pages', () => {
    const env = {
      Path: 'C:\\Windows;.;bin;D:\\x y',
      SystemRoot: 'C:\\Windows',
      PATHEXT: '.EXE',
      Api_Key: 'x',
    };
    assert.deepEqual(checkEnvironment(env, 'win32'), {
      Path: 'C:\\Windows;D:\\x y',
      SystemRoot: 'C:\\Windows',
      PATHEXT: '.EXE',
      CI: '1',
      NO_COLOR: '1',
      TERM: 'dumb',
      NoDefaultCurrentDirectoryInExePath: '1',
    });
  });
});

describe('the output of a check command', () => {
  it('is told without colours, other terminal tricks and progress that was painted over', () => {
    const output =
      '\u001B[31merror\u001B[0m a.md\r\n\u001B]8;;http://x\u0007link\u001B]8;;\u0007\u0008\u202E!\n10%\r100%\n\n';
    assert.equal(cleanOutput(output, [], ''), 'error a.md\nlink!\n10%\n100%');
  });

  it('is told without the folder that it ran in and the home of the machine, on any system', () => {
    assert.equal(
      cleanOutput('/c/tree/docs/a.md:1 in /c/tree, see /home/w/.vale.ini', ['/c/tree'], '/home/w'),
      'docs/a.md:1 in ., see ~/.vale.ini',
    );
    assert.equal(
      cleanOutput('C:\\c\\tree\\a.md C:/c/tree/b.md C:\\Users\\w\\x', ['C:\\c\\tree'], 'C:\\Users\\w'),
      'a.md b.md ~\\x',
    );
  });

  // In quadratic time each would take minutes.
  it('of one sign a million times is cleaned in linear time', () => {
    for (const text of ['\u001B[', '\u001B]', '\u001B[1', '\r', '\u0007']) {
      cleanOutput(`${text.repeat(1_000_000)}x`, ['/c'], '/h');
    }
  }).timeout(20_000);
});

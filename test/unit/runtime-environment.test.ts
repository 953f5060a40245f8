import assert from 'node:assert/strict';
import { runtimeEnvironment } from '../../src/adapters/child-process/runtime-environment.ts';

describe('the environment of a child that works on pages', () => {
  it('is nothing but what starts the program, the editor’s own too', () => {
    const env = {
      PATH: '/bin',
      HOME: '/home/w',
      OPENAI_API_KEY: 'sk-x',
      NODE_OPTIONS: '--inspect',
      LD_LIBRARY_PATH: '/l',
    };
    assert.deepEqual(runtimeEnvironment(env), { LD_LIBRARY_PATH: '/l', ELECTRON_RUN_AS_NODE: '1' });
  });

  it('has what Windows finds its libraries by, in any spelling', () => {
    const env = {
      SystemRoot: 'C:\\Windows',
      windir: 'C:\\Windows',
      SystemDrive: 'C:',
      Path: 'C:\\x',
      USERPROFILE: 'C:\\w',
    };
    assert.deepEqual(runtimeEnvironment(env), {
      SystemRoot: 'C:\\Windows',
      windir: 'C:\\Windows',
      SystemDrive: 'C:',
      ELECTRON_RUN_AS_NODE: '1',
    });
  });
});

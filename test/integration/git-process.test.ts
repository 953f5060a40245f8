import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Git, GitFailure } from '../../src/adapters/git/run-git.ts';
import { Redactor } from '../../src/service/redaction.ts';
import { temporaryFolder } from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';
import { until } from '../support/service-process.ts';

/** A program in git's place that does what the script says. */
function pretend(
  folder: string,
  script: string,
  env: NodeJS.ProcessEnv = {},
  redactor = new Redactor(),
): Git {
  const executable = path.join(folder, 'pretend-git');
  writeFileSync(executable, `#!/bin/sh\n${script}\n`);
  chmodSync(executable, 0o755);
  return new Git({
    executable,
    redactor,
    env: { PATH: process.env['PATH'], ...env },
    emptyFolder: path.join(folder, 'empty'),
  });
}

async function waitForFile(file: string): Promise<void> {
  const watcher = watch(path.dirname(file));
  try {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (existsSync(file) && readFileSync(file, 'utf8').endsWith('\n')) resolve();
      };
      watcher.on('change', look);
      look();
    });
  } finally {
    watcher.close();
  }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A process that has ended but that nobody has collected yet still has its id.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

describe("git's process", () => {
  it('gets only what it needs of the environment, and no token by argument', async () => {
    using folder = temporaryFolder();
    const git = pretend(folder.path, 'echo "$@"; env', {
      OPENAI_API_KEY: 'sk-1',
      GITHUB_TOKEN: 'ghp_1',
      GIT_DIR: '/evil',
      GIT_WORK_TREE: '/evil',
      GIT_CONFIG_PARAMETERS: "'core.hooksPath=/evil'",
      GIT_EXTERNAL_DIFF: '/evil',
      GIT_PROXY_COMMAND: '/evil',
      GIT_TRACE_CURL: '1',
      GIT_ASKPASS: '/evil',
      LD_PRELOAD: '',
      HTTPS_PROXY: 'http://proxy',
      SSH_AUTH_SOCK: '/agent',
      GIT_CONFIG_GLOBAL: '/mine',
      HOME: '/home/me',
    });
    const config = [{ key: 'http.x.extraHeader', value: 'Authorization: secret' }];
    const { stdout } = await git.run(['fetch'], { scope: 'user', config });
    const [args = '', ...lines] = stdout.split('\n');
    assert.equal(args, 'fetch');
    assert.doesNotMatch(stdout, /evil|sk-1|ghp_1|GIT_TRACE/);
    for (const line of [
      'HTTPS_PROXY=http://proxy',
      'SSH_AUTH_SOCK=/agent',
      'GIT_TERMINAL_PROMPT=0',
      'GIT_CONFIG_GLOBAL=/mine',
      'HOME=/home/me',
      'GIT_ASKPASS=',
    ]) {
      assert.ok(lines.includes(line), line);
    }
    assert.match(stdout, /GIT_CONFIG_VALUE_\d+=Authorization: secret/);
    const sealed = (await git.run(['add'])).stdout.split('\n');
    assert.ok(sealed.includes(`HOME=${path.join(folder.path, 'empty')}`));
    assert.ok(sealed.includes('GIT_CONFIG_NOSYSTEM=1'));
    assert.equal(sealed.includes('GIT_CONFIG_GLOBAL=/mine'), false);
  });

  it('ends with everything that it started when the signal says so', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'pids');
    const git = pretend(folder.path, `sleep 600 & echo "$$ $!" > ${file}; wait`);
    const controller = new AbortController();
    const running = git.run(['fetch'], { signal: controller.signal });
    await waitForFile(file);
    controller.abort(new Error('stop now'));
    await assert.rejects(running, /stop now/);
    const pids = readFileSync(file, 'utf8').trim().split(' ').map(Number);
    assert.equal(pids.length, 2);
    // Who was killed may need a turn on the processor to be gone.
    await until(async () => !pids.some(isRunning));
  });

  it('is stopped by its time limit and by its output limit', async () => {
    using folder = temporaryFolder();
    const slow = pretend(folder.path, 'sleep 600');
    await assert.rejects(slow.run(['fetch'], { timeLimitMs: 50 }), (error: unknown) => {
      return error instanceof GitFailure && error.reason === 'time';
    });
    const loud = pretend(folder.path, 'yes');
    await assert.rejects(loud.run(['diff'], { outputLimit: 100_000 }), (error: unknown) => {
      return error instanceof GitFailure && error.reason === 'output';
    });
    const counted = pretend(folder.path, 'head -c 1000000 /dev/zero');
    const { bytes, stdout } = await counted.run(['diff'], { countOnly: true });
    assert.deepEqual([bytes, stdout], [1_000_000, '']);
  });

  it('is over when git has ended, whatever that has left running in the background', async () => {
    using folder = temporaryFolder();
    const pids = path.join(folder.path, 'pids');
    // A session of its own, as an agent that a credential helper starts has one: no signal to git's group finds it.
    const leave = (streams: string): string => `setsid sleep 600 ${streams} & echo "$!" >> ${pids}`;
    const started = (): number[] =>
      existsSync(pids) ? readFileSync(pids, 'utf8').split('\n').filter(Boolean).map(Number) : [];
    const never = AbortSignal.timeout(30_000);
    try {
      const helped = pretend(folder.path, `${leave('>/dev/null')}\necho answer; echo words >&2`);
      const { stdout, stderr } = await helped.run(['credential', 'fill'], { signal: never });
      assert.deepEqual([stdout, stderr], ['answer\n', 'words']);
      const held = pretend(folder.path, leave(''));
      await assert.rejects(held.run(['log'], { signal: never, timeLimitMs: 500 }), (error: unknown) => {
        return error instanceof GitFailure && error.reason === 'time';
      });
      const stopped = pretend(folder.path, `${leave('')}\nsleep 600`);
      await assert.rejects(stopped.run(['fetch'], { signal: never, timeLimitMs: 500 }), (error: unknown) => {
        return error instanceof GitFailure && error.reason === 'time';
      });
      const controller = new AbortController();
      const before = started().length;
      const running = stopped.run(['fetch'], { signal: controller.signal });
      await until(async () => started().length > before);
      controller.abort(new Error('stop now'));
      await assert.rejects(running, /stop now/);
    } finally {
      for (const pid of started().filter(isRunning)) process.kill(pid, 'SIGKILL');
    }
  });

  it('keeps secrets out of its errors', async () => {
    using folder = temporaryFolder();
    const redactor = new Redactor();
    redactor.register('hunter2hunter2', 'me');
    const basic = Buffer.from('me:hunter2hunter2').toString('base64');
    const script = `echo "fatal: https://me:hunter2hunter2@h/ ${basic} hunter2hunter2" >&2; exit 128`;
    const git = pretend(folder.path, script, {}, redactor);
    await assert.rejects(git.run(['fetch']), (error: unknown) => {
      assert.ok(error instanceof GitFailure);
      assert.doesNotMatch(`${error.message}${error.stderr}${error.stack}`, /hunter2|bWU6/);
      return true;
    });
  });

  it('says what is missing: the program or the folder', async () => {
    using folder = temporaryFolder();
    const emptyFolder = path.join(folder.path, 'empty');
    const git = new Git({
      executable: path.join(folder.path, 'none'),
      redactor: new Redactor(),
      env: {},
      emptyFolder,
    });
    await assert.rejects(git.run(['status']), failsWith('git_missing', /not found on this machine/));
    const cwd = path.join(folder.path, 'gone');
    await assert.rejects(git.run(['status'], { cwd }), failsWith('repository_unavailable', /does not exist/));
  });
});

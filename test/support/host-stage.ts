import assert from 'node:assert/strict';
import path from 'node:path';
import type { JobErrorCode } from '../../src/contract/errors.ts';
import type { CodeHostServer, HostedProject, HostedPull } from './code-host.ts';
import { HostWalk, type MakeHost } from './host-walk.ts';
import { git, type TemporaryFolder, temporaryFolder } from './repositories.ts';
import { ClonePattern } from './writers-clone.ts';

type PushRefusal = readonly [words: string, code: JobErrorCode, sentence: RegExp];

/** What one kind of code host is like, for the cases that all of them have. */
export interface HostUnderTest {
  /** A server that listens on loopback, its files below this folder. */
  readonly start: (folder: string) => Promise<CodeHostServer>;
  readonly makeHost: MakeHost;
  /** Of a repository: `team/docs`. */
  readonly projectPath: string;
  /** The title of a draft, where a draft is told by it: `Draft: x`. */
  readonly draftTitle?: (title: string) => string;
  /** False where there are none: asking for them is a warning. */
  readonly labels: boolean;
  /** An account that may review there; absent where there are no reviewers. */
  readonly reviewer?: string;
  /** Characters of the longest title and body that it takes. */
  readonly titleLimit: number;
  readonly bodyLimit: number;
  /** What its hooks print, and what that is called here. */
  readonly pushRefusals: readonly [PushRefusal, ...PushRefusal[]];
  /** False where the host does not say what a token may do, so that only the push can tell. */
  readonly tellsPermission: boolean;
  /** False where nothing tells it before the push. */
  readonly tellsArchived: boolean;
  /** Where it looks for a template; absent where it does not. */
  readonly template?: string;
  /** The page that opens a pull request by hand, behind the server's address. */
  readonly byHand: (branch: string) => string;
  /** What a writer without a sign-in is told to make and to set, beside the way by git. */
  readonly signIn: RegExp;
}

/** One server with one repository and one writer, new for each case of the suite that it is made in. */
export class HostStage {
  server!: CodeHostServer;
  hosted!: HostedProject;
  walk!: HostWalk;
  pattern!: ClonePattern;

  constructor(under: HostUnderTest) {
    let folder: TemporaryFolder;
    before(() => {
      this.pattern = new ClonePattern();
    });
    after(() => this.pattern[Symbol.dispose]());
    beforeEach(async () => {
      folder = temporaryFolder();
      this.server = await under.start(path.join(folder.path, 'host'));
      this.hosted = this.server.addProject(under.projectPath);
      this.walk = new HostWalk(this.server, this.hosted, { ...under, pattern: this.pattern });
    });
    afterEach(async () => {
      await this.walk[Symbol.asyncDispose]();
      await this.server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
      // Whatever the case was: the token stands in a header and nowhere else.
      for (const { path: place, body } of this.server.requests) {
        assert.equal((place + JSON.stringify(body ?? '')).includes(this.server.token), false, place);
      }
    });
  }

  onlyPull(): HostedPull {
    const [only, ...more] = this.hosted.pulls;
    assert.ok(only && more.length === 0, `${this.hosted.pulls.length} pull requests instead of one`);
    return only;
  }

  branches(): string[] {
    return git(this.hosted.gitDir, 'for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads').split('\n');
  }
}

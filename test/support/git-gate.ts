import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** A git command that stands still; it waits for one of the two. */
export interface HeldGit {
  /** Lets it go on, also when the process that started it is gone. */
  open(): void;
  /** Ends it. What is dead already stays so. */
  drop(): void;
}

interface Hold {
  readonly number: number;
  readonly when: 'before' | 'after';
  readonly pattern: string;
  readonly held: PromiseWithResolvers<HeldGit>;
}

/**
 * A `git` to be placed first on a path, which stands still before or after chosen commands until the test
 * decides: then exactly this step of the walk is under way. For systems with FIFOs.
 */
export class GitGate implements Disposable {
  /** To be placed first on the path. */
  readonly binFolder: string;
  readonly #folder: string;
  readonly #arrivals: net.Socket;
  readonly #holds = new Map<number, Hold>();
  readonly #standing = new Set<HeldGit>();
  #last = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.binFolder = path.join(folder, 'bin');
    mkdirSync(this.binFolder, { recursive: true });
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const script = path.join(this.binFolder, 'git');
    writeFileSync(script, wrapper(folder, git));
    chmodSync(script, 0o755);
    this.#writePlan();
    const fifo = path.join(folder, 'arrivals');
    execFileSync('mkfifo', [fifo]);
    // Opened for both ways it never ends, and nobody waits for the other side.
    const fd = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    this.#arrivals = new net.Socket({ fd, readable: true, writable: false });
    createInterface({ input: this.#arrivals }).on('line', (line) => this.#arrive(line));
  }

  /**
   * Waits for the next command whose arguments, with a space around each, match the shell pattern, and
   * holds it there.
   */
  hold(when: 'before' | 'after', pattern: string): Promise<HeldGit> {
    const hold: Hold = { number: ++this.#last, when, pattern, held: Promise.withResolvers() };
    this.#holds.set(hold.number, hold);
    this.#writePlan();
    return hold.held.promise;
  }

  [Symbol.dispose](): void {
    this.#holds.clear();
    this.#writePlan();
    for (const held of this.#standing) held.drop();
    this.#arrivals.destroy();
  }

  #arrive(line: string): void {
    const [number, id = ''] = line.split(' ');
    const hold = this.#holds.get(Number(number));
    const held: HeldGit = {
      open: () => this.#decide(held, id, 'go'),
      drop: () => this.#decide(held, id, 'die'),
    };
    // A second command got there before the first one was known here.
    if (hold === undefined) return held.open();
    this.#standing.add(held);
    this.#holds.delete(hold.number);
    this.#writePlan();
    hold.held.resolve(held);
  }

  #decide(held: HeldGit, id: string, verdict: 'go' | 'die'): void {
    this.#standing.delete(held);
    try {
      const fd = openSync(path.join(this.#folder, id), constants.O_WRONLY | constants.O_NONBLOCK);
      writeSync(fd, `${verdict}\n`);
      closeSync(fd);
    } catch (error) {
      // Nobody reads: the command was killed where it stood.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENXIO' && code !== 'ENOENT') throw error;
    }
  }

  /** Exchanged whole: a command that reads it meets the old or the new one. */
  #writePlan(): void {
    const plan = path.join(this.#folder, 'plan');
    const lines = [...this.#holds.values()].map(
      ({ number, when, pattern }) => `${number} ${when} ${pattern}\n`,
    );
    writeFileSync(`${plan}.new`, lines.join(''));
    renameSync(`${plan}.new`, plan);
  }
}

/** The command's own FIFO is open for both ways before it is announced, so the verdict always finds a reader. */
function wrapper(folder: string, git: string): string {
  return `#!/bin/sh
stand() {
  mkfifo '${folder}'/$$
  exec 3<>'${folder}'/$$
  echo "$1 $$" >'${folder}/arrivals'
  read -r verdict <&3
  exec 3>&-
  rm -f '${folder}'/$$
  [ "$verdict" = go ] || exit 1
}
after=
while read -r number when pattern; do
  case " $* " in
    $pattern) if [ "$when" = before ]; then stand "$number"; else after=$number; fi ;;
  esac
done <'${folder}/plan'
[ -n "$after" ] || exec '${git}' "$@"
'${git}' "$@"
code=$?
stand "$after"
exit $code
`;
}

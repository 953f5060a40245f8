import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { Log, LogFields } from '../../service/ports/log.ts';
import type { Redactor } from '../../service/redaction.ts';
import { logLine, type LogLevel } from './log-line.ts';

export interface FileLogOptions {
  readonly file: string;
  readonly redactor: Redactor;
  /** Bytes of one file; the log as a whole takes at most `maxBytes * (olderFiles + 1)`. */
  readonly maxBytes?: number;
  /** How many full files are kept beside the current one, as `FILE.1` (newest), `FILE.2`, … */
  readonly olderFiles?: number;
  readonly now?: () => Date;
}

/**
 * A log of JSON lines in a file that only its user may read. Lines are written at once and
 * synchronously, so the last ones before a crash are there. A log that cannot be written never breaks
 * the service.
 */
export class FileLog implements Log, Disposable {
  readonly #file: string;
  readonly #redactor: Redactor;
  readonly #maxBytes: number;
  readonly #olderFiles: number;
  readonly #now: () => Date;
  #descriptor: number | undefined;
  #size = 0;

  constructor(options: FileLogOptions) {
    this.#file = options.file;
    this.#redactor = options.redactor;
    this.#maxBytes = options.maxBytes ?? 1024 * 1024;
    this.#olderFiles = options.olderFiles ?? 2;
    this.#now = options.now ?? (() => new Date());
  }

  info(message: string, fields: LogFields = {}): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields: LogFields = {}): void {
    this.#write('error', message, fields);
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #write(level: LogLevel, message: string, fields: LogFields): void {
    try {
      const line = Buffer.from(
        logLine(level, message, fields, this.#now(), (text) => this.#redactor.redact(text)),
      );
      let descriptor = this.#open();
      if (this.#size > 0 && this.#size + line.length > this.#maxBytes) {
        this.#rotate();
        descriptor = this.#open();
      }
      this.#size += writeSync(descriptor, line);
    } catch {
      // A full disk or a folder taken away: the jobs matter more than their log. The next line tries again.
      this[Symbol.dispose]();
    }
  }

  #open(): number {
    if (this.#descriptor === undefined) {
      this.#descriptor = openSync(this.#file, 'a', 0o600);
      this.#size = fstatSync(this.#descriptor).size;
    }
    return this.#descriptor;
  }

  #rotate(): void {
    // Windows does not rename an open file.
    this[Symbol.dispose]();
    rmSync(`${this.#file}.${this.#olderFiles}`, { force: true });
    for (let number = this.#olderFiles; number > 0; number--) {
      const from = number === 1 ? this.#file : `${this.#file}.${number - 1}`;
      try {
        renameSync(from, `${this.#file}.${number}`);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    if (this.#olderFiles === 0) rmSync(this.#file, { force: true });
  }
}

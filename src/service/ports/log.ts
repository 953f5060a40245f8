/** Fields beside a line. Values are redacted before they are written. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A line is a static sentence with data beside it. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

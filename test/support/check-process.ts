import { ShellCheck } from '../../src/adapters/check-command/shell-check.ts';
import { Redactor } from '../../src/service/redaction.ts';

/** A process that runs a check command in a folder until it is killed. */
const [, , folder = '', command = ''] = process.argv;
const check = new ShellCheck({ redactor: new Redactor(), env: process.env });
await check.run(command, folder, new AbortController().signal);

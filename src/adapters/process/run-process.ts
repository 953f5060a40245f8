import { serviceExitCodes } from '../../contract/local-service.ts';
import { ConfigError } from '../../service/config.ts';

/**
 * Runs the program of this process and ends the process with its exit code. A failure is told on standard
 * error in one line, the last one: whoever started the process shows it.
 */
export async function runProcess(main: (env: NodeJS.ProcessEnv) => Promise<number>): Promise<never> {
  try {
    process.exit(await main(process.env));
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The service failed for an unknown reason.';
    process.stderr.write(`${message.replace(/\s+/g, ' ')}\n`);
    process.exit(error instanceof ConfigError ? serviceExitCodes.misconfigured : serviceExitCodes.crashed);
  }
}

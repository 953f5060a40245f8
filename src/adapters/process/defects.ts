import { serviceExitCodes } from '../../contract/local-service.ts';
import type { Log } from '../../service/ports/log.ts';

/**
 * Runs the service with its defects in the log. An error that nobody caught ends the process: what it would
 * do from there on is unknown, while a new process finds every job where it was.
 *
 * @throws what `run` throws, once it is logged
 */
export async function loggingDefects(log: Log, run: () => Promise<void>): Promise<void> {
  const end = (error: unknown): void => {
    log.error('The service ends because of a defect', { error });
    process.stderr.write('The service ended because of a defect. Its log says more.\n');
    process.exit(serviceExitCodes.crashed);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  try {
    await run();
  } catch (error) {
    log.error('The service could not go on', { error });
    throw error;
  } finally {
    process.off('uncaughtException', end);
    process.off('unhandledRejection', end);
  }
}

import { JobsWindow } from '../support/jobs-window.ts';
import { Workbench, type WorkbenchOptions } from '../support/workbench.ts';

const size = { width: 1100, height: 680 };

/** Takes a picture of a window and names it. */
export type Shoot = (jobs: JobsWindow, name: string) => Promise<void>;

/** A window of a size that is read well in a picture. */
export async function open(options: WorkbenchOptions): Promise<{ workbench: Workbench; jobs: JobsWindow }> {
  const workbench = await Workbench.start({ ...options, size });
  return { workbench, jobs: new JobsWindow(await workbench.newWindow()) };
}

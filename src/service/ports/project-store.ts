import type { Project } from '../../contract/project.ts';

/** Keeps what each project id stands for. */
export interface ProjectStore {
  get(id: string): Promise<Project | undefined>;
  put(project: Project): Promise<void>;
}

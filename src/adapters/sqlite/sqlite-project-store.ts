import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { projectSchema, type Project } from '../../contract/project.ts';
import type { ProjectStore } from '../../service/ports/project-store.ts';

/** Projects in SQLite, each as the JSON of the contract. */
export class SqliteProjectStore implements ProjectStore {
  readonly #select: StatementSync;
  readonly #upsert: StatementSync;

  constructor(database: DatabaseSync) {
    this.#select = database.prepare('SELECT project FROM projects WHERE id = $id');
    this.#upsert = database.prepare(`
      INSERT INTO projects (id, project) VALUES ($id, $project)
      ON CONFLICT (id) DO UPDATE SET project = excluded.project`);
  }

  async get(id: string): Promise<Project | undefined> {
    const row = this.#select.get({ id });
    return row && projectSchema.parse(JSON.parse(String(row['project'])));
  }

  async put(project: Project): Promise<void> {
    // Through the schema, so that nothing but its fields, above all no token, is ever written.
    this.#upsert.run({ id: project.id, project: JSON.stringify(projectSchema.parse(project)) });
  }
}

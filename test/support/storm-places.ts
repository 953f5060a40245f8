import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { CodeHostServer, HostedProject } from './code-host.ts';
import { GitHubServer } from './github-server.ts';
import { GitLabServer } from './gitlab-server.ts';
import { commitFiles, git, makeMessy, repositoryWithoutRemote, snapshotRepository } from './repositories.ts';
import type { KillableService } from './killable-service.ts';
import { stormDocs } from './storm-jobs.ts';

/** A pull request wherever it is. */
export interface FoundPull {
  readonly head: string;
  readonly state: string;
}

/** A writer's repository, with everything lying around in it, and where its jobs' work goes. */
export interface StormPlace {
  readonly project: string;
  readonly repository: string;
  /** Whether the repository is byte for byte as it was. */
  isUntouched(): boolean;
  /** The bare repository that the work goes to. */
  target(service: KillableService): string;
  pulls(service: KillableService): readonly FoundPull[];
  /** What of the work everybody can read there. */
  texts(): string;
}

/** Repositories of two code hosts, and one without a remote. */
export class StormPlaces implements AsyncDisposable {
  readonly all: readonly StormPlace[];
  readonly #hosts: readonly CodeHostServer[];

  static async start(folder: string): Promise<StormPlaces> {
    const hosts = [
      await GitHubServer.start(path.join(folder, 'github')),
      await GitLabServer.start(path.join(folder, 'gitlab')),
    ];
    return new StormPlaces(folder, hosts);
  }

  private constructor(folder: string, hosts: readonly CodeHostServer[]) {
    this.#hosts = hosts;
    const hosted = hosts.map((host) => hostedPlace(folder, host));
    this.all = [...hosted, localPlace(path.join(folder, 'local'))];
  }

  /** The service's configuration for the hosts. */
  get configuration(): object {
    return Object.assign({}, ...this.#hosts.map(({ configuration }) => configuration)) as object;
  }

  get tokens(): readonly string[] {
    return this.#hosts.map(({ token }) => token);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const host of this.#hosts) await host[Symbol.asyncDispose]();
  }
}

function hostedPlace(folder: string, host: CodeHostServer): StormPlace {
  const hosted: HostedProject = host.addProject('writers/docs');
  const repository = path.join(folder, `clone-${host.kind}`, 'docs');
  git(folder, 'clone', '--quiet', hosted.gitDir, repository);
  commitFiles(repository, stormDocs, 'First');
  git(repository, 'push', '--quiet', '--set-upstream', 'origin', 'main');
  git(repository, 'remote', 'set-url', 'origin', hosted.url);
  makeMessy(repository);
  const before = snapshotRepository(repository);
  return {
    project: host.kind,
    repository,
    isUntouched: () => snapshotRepository(repository) === before,
    target: () => hosted.gitDir,
    pulls: () => hosted.pulls,
    texts: () => JSON.stringify([hosted.pulls, host.requests.map(({ path: at, body }) => [at, body])]),
  };
}

function localPlace(folder: string): StormPlace {
  const repository = repositoryWithoutRemote(folder, stormDocs);
  makeMessy(repository);
  const before = snapshotRepository(repository);
  return {
    project: 'local',
    repository,
    isUntouched: () => snapshotRepository(repository) === before,
    target: ({ folders }) => {
      const mirrors = path.join(folders.data, 'repositories');
      const [mirror = ''] = readdirSync(mirrors);
      return path.join(mirrors, mirror);
    },
    pulls: (service) => {
      using database = service.database();
      const rows = database.prepare('SELECT branch, state FROM reviews').all();
      return rows.map(({ branch, state }) => ({ head: String(branch), state: String(state) }));
    },
    texts: () => '',
  };
}

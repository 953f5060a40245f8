import type { HostKind } from './host-kinds.ts';

const name = 'pull_request_template.md';
const both = (folder: string): string[] => [
  `${folder}${name}`,
  `${folder}${name.toUpperCase().replace('.MD', '.md')}`,
];

const github = ['.github/', '', 'docs/'].flatMap(both);

/**
 * Where each host looks for the template of a pull request, in its order. Bitbucket has none in the repository.
 *
 * Sources: the hosts' own manuals on description templates.
 */
const places: Readonly<Record<HostKind, readonly string[]>> = {
  github,
  gitlab: ['.gitlab/merge_request_templates/Default.md', '.gitlab/merge_request_templates/default.md'],
  gitea: ['', '.forgejo/', '.gitea/', '.github/'].flatMap(both),
  bitbucket: [],
  'bitbucket-server': [],
  azure: ['.azuredevops/', '.vsts/', 'docs/', ''].flatMap(both),
};

/** Paths that may hold the template, the first one that exists counts. Without a kind: everybody's. */
export function templatePaths(kind: HostKind | undefined): readonly string[] {
  return kind === undefined ? [...new Set(Object.values(places).flat())] : places[kind];
}

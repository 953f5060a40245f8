/** Paths of the API. Every value that comes from outside is encoded here and nowhere else. */

const part = (value: string): string => encodeURIComponent(value);

export const routes = {
  jobs: (projectId: string): string => `/v2/agent/${part(projectId)}/jobs`,
  createJob: (projectId: string): string => `/v2/agent/${part(projectId)}/job`,
  job: (projectId: string, id: string): string => `/v2/agent/${part(projectId)}/job/${part(id)}`,
  message: (projectId: string, id: string): string => `${routes.job(projectId, id)}/message`,
  cancel: (projectId: string, id: string): string => `${routes.job(projectId, id)}/cancel`,
  archive: (projectId: string, id: string): string => `${routes.job(projectId, id)}/archive`,
  events: (projectId: string, id: string): string => `${routes.job(projectId, id)}/events`,
  diff: (projectId: string, id: string): string => `${routes.job(projectId, id)}/diff`,
  /** Our addition: tells the service which repository a project id stands for. */
  project: (projectId: string): string => `/v2/projects/${part(projectId)}`,
  /** Our addition: asks an idle service to end, so that a newer version can take its place. */
  shutdown: (): string => '/v2/service/shutdown',
  /** Our addition: the agents of the service (GET), and what the editor hands over for them (PUT). */
  agents: (): string => '/v2/service/agents',
  /** Our addition: tries a provider's address and key before anybody saves them. */
  checkProvider: (): string => '/v2/service/agents/check',
  /** Our addition: work for the language models of the editor. */
  nextEditorRequest: (): string => '/v2/service/editor-models/next',
  editorAnswer: (requestId: string): string => `/v2/service/editor-models/${part(requestId)}`,
  /** Our addition: the page of a pull request of the local code host. The token is its only key. */
  review: (token: string): string => `/review/${part(token)}`,
  openapi: (): string => '/openapi.json',
  health: (): string => '/healthz',
  ready: (): string => '/readyz',
};

export const headers = {
  idempotencyKey: 'Idempotency-Key',
  /** `true` when the answer is the one that an earlier request with the same key got. */
  idempotentReplay: 'Idempotent-Replay',
} as const;

/** What the next REST request gets instead of its answer. */
export interface PlannedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The path of the description that a request belongs to. */
export function openApiPath(rest: string): string | undefined {
  if (rest === '') return '/repos/{owner}/{repo}';
  if (rest === '/pulls') return '/repos/{owner}/{repo}/pulls';
  if (/^\/pulls\/\d+$/.test(rest)) {
    // The published slice holds the update; GitHub answers a read at the same address.
    return '/repos/{owner}/{repo}/pulls/{pull_number}';
  }
  return rest.startsWith('/git/ref/') ? '/repos/{owner}/{repo}/git/ref/{ref}' : undefined;
}

export function notFound(): PlannedAnswer {
  return { status: 404, body: { message: 'Not Found', documentation_url: 'https://docs.github.com/rest' } };
}

export function invalid(message: string | undefined, details: object = {}): PlannedAnswer {
  const error = { resource: 'PullRequest', code: 'custom', ...details, ...(message ? { message } : {}) };
  return { status: 422, body: { message: 'Validation Failed', errors: [error] } };
}

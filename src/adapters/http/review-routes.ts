import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Context, Hono } from 'hono';
import * as z from 'zod/v4';
import { routes } from '../../contract/routes.ts';
import type { Log } from '../../service/ports/log.ts';
import type { ReviewActionResult, Reviews } from '../../service/ports/reviews.ts';
import { ServiceError } from '../../service/service-error.ts';
import { isSameOrigin } from './loopback-guard.ts';
import { readText } from './request-body.ts';
import { type ReviewAction, reviewActions } from './review-actions.ts';
import { pagePolicy, sentencePage } from './review-document.ts';
import { reviewPage } from './review-page.ts';

export interface ReviewRoutesOptions {
  readonly reviews: Reviews;
  readonly log: Log;
}

const querySchema = z.object({
  view: z.enum(['unified', 'split']).catch('unified'),
  file: z.coerce.number().int().nonnegative().optional().catch(undefined),
  outcome: z.string().optional(),
});

/** Results of clicks that a page has still to show. Each is shown once; the oldest make room. */
const keptOutcomes = 100;
const maxFormBytes = 4 * 1024;

const gone = 'There is no pull request at this address. Open it again from VS Code.';
const stale =
  'This page is older than the running service, so nothing was done. Look at it again, then choose.';

/** Pages of the local code host's pull requests. Whoever has the token of a path may use the page. */
export function reviewRoutes({ reviews, log }: ReviewRoutesOptions): Hono {
  const app = new Hono();
  const formSecret = randomBytes(32);
  const outcomes = new Map<string, ReviewActionResult>();

  const formToken = (token: string): string =>
    createHmac('sha256', formSecret).update(token).digest('base64url');

  const redirect = (context: Context, token: string, view: string, outcome: ReviewActionResult): Response => {
    const id = randomBytes(12).toString('base64url');
    outcomes.set(id, outcome);
    for (const oldest of [...outcomes.keys()].slice(0, -keptOutcomes)) outcomes.delete(oldest);
    // 303: reloading the page that follows does not send the form again.
    return context.redirect(`${routes.review(token)}?view=${view}&outcome=${id}`, 303);
  };

  const act: Readonly<Record<ReviewAction, (token: string) => Promise<ReviewActionResult | undefined>>> = {
    merge: (token) => reviews.merge(token),
    close: (token) => reviews.close(token),
    checkout: (token) => reviews.checkOut(token),
  };

  app.get('/:token', async (context) => {
    const token = context.req.param('token');
    const nonce = randomBytes(16).toString('base64');
    const query = querySchema.parse(context.req.query());
    return shown(nonce, log, async () => {
      const view = await reviews.view(token);
      if (view === undefined) return undefined;
      const outcome = query.outcome === undefined ? undefined : outcomes.get(query.outcome);
      const alone = query.file !== undefined && query.file < view.files.length ? query.file : undefined;
      return reviewPage({
        view,
        mode: query.view,
        alone,
        outcome,
        address: routes.review(token),
        formToken: formToken(token),
        nonce,
      });
    });
  });

  app.get('/:token/patch', async (context) => {
    const nonce = randomBytes(16).toString('base64');
    const view = await reviews.view(context.req.param('token'));
    if (view === undefined) return page(sentencePage('Not found', gone, nonce), nonce, 404);
    return context.body(view.diff, 200, { 'Content-Type': 'text/plain; charset=utf-8' });
  });

  for (const name of reviewActions) {
    app.post(`/:token/${name}`, async (context) => {
      const token = context.req.param('token');
      const nonce = randomBytes(16).toString('base64');
      if (!isSameOrigin(context.req.raw)) {
        const sentence = 'This was not sent by the page of the pull request, so nothing was done.';
        return page(sentencePage('Refused', sentence, nonce), nonce, 403);
      }
      const form = new URLSearchParams(await readText(context.req.raw, maxFormBytes));
      const view = form.get('view') === 'split' ? 'split' : 'unified';
      if (!same(form.get('token') ?? '', formToken(token))) {
        return redirect(context, token, view, { done: false, message: stale });
      }
      const outcome = await act[name](token);
      if (outcome === undefined) return page(sentencePage('Not found', gone, nonce), nonce, 404);
      log.info('A review page was used', { action: name, done: outcome.done });
      return redirect(context, token, view, outcome);
    });
  }
  return app;
}

/** What git or the disk refuses has its sentence on the page too. */
async function shown(nonce: string, log: Log, make: () => Promise<string | undefined>): Promise<Response> {
  try {
    const text = await make();
    return text === undefined
      ? page(sentencePage('Not found', gone, nonce), nonce, 404)
      : page(text, nonce, 200);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    log.warn('A review could not be shown', { error });
    return page(sentencePage('This pull request cannot be shown', error.message, nonce), nonce, 503);
  }
}

function page(text: string, nonce: string, status: number): Response {
  return new Response(text, {
    status,
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': pagePolicy(nonce) },
  });
}

function same(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

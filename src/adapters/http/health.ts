import { proveSecret } from '../../contract/local-service.ts';
import type { Health } from '../../contract/requests.ts';
import { errorResponse } from './answers.ts';
import type { AppDeps, Handlers } from './app.ts';

export interface ServiceIdentity {
  readonly version: string;
  /** What the address file tells to this user alone; proves who answers. */
  readonly secret: string;
}

/** A challenge is a random word; more is not hashed for strangers. */
const maxChallenge = 256;

export function healthHandlers({
  identity,
  lifecycle,
  isReady,
}: Pick<AppDeps, 'identity' | 'lifecycle' | 'isReady'>): Handlers {
  const health = (): Health => ({
    status: lifecycle.stopping.aborted ? 'stopping' : 'ok',
    version: identity.version,
    idempotency: true,
  });
  return {
    getHealth: (context) => {
      const challenge = context.req.query('challenge');
      if (challenge === undefined) return Response.json(health());
      if (challenge === '' || challenge.length > maxChallenge) {
        return errorResponse('invalid_request', `A challenge has 1 to ${maxChallenge} characters.`);
      }
      return Response.json({ ...health(), proof: proveSecret(identity.secret, challenge) } satisfies Health);
    },
    getReadiness: async () => {
      if (lifecycle.stopping.aborted || !(await isReady())) {
        return errorResponse('stopping', 'The service cannot take jobs at the moment. Try again soon.');
      }
      return Response.json(health());
    },
    shutDown: async () => {
      if (await lifecycle.stopWhenIdle()) return Response.json(health(), { status: 202 });
      return errorResponse(
        'conflict',
        'Jobs are active, so the service goes on. Try again when they have ended.',
      );
    },
  };
}

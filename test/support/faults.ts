import type { ServerResponse } from 'node:http';

/**
 * What goes wrong with a request. `performed`: whether the service did what was asked before its answer
 * went wrong; false where nothing is said.
 */
export type Fault = { readonly performed?: boolean } & (
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** A whole HTTP answer of status 200 whose JSON breaks off. */
  | { readonly kind: 'cut_json' }
  /** The connection breaks in the middle of the answer's body. */
  | { readonly kind: 'broken_body' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }
);

/** Answers as the fault says; `text` is what would have been the answer. */
export function goWrong(
  fault: Fault,
  response: ServerResponse,
  text = '{"id":"job_1","status":"active"}',
): void {
  switch (fault.kind) {
    case 'answer':
      response.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    case 'cut_json':
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(text.slice(0, Math.floor(text.length / 2)));
      return;
    case 'broken_body':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
      response.write(text.slice(0, 5), () => response.destroy());
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'hang':
  }
}

import assert from 'node:assert/strict';
import { endpointFailure } from '../../src/adapters/agents/model/endpoint-errors.ts';
import type { JobErrorCode } from '../../src/contract/errors.ts';

const now = Date.UTC(2026, 0, 1);

/** As the libraries throw what an endpoint answered. */
function answered(status: number, body: string, headers: Record<string, string> = {}): Error {
  return Object.assign(new Error('refused'), {
    statusCode: status,
    responseBody: body,
    responseHeaders: headers,
    requestBodyValues: {
      messages: [{ role: 'user', content: 'maximum context length, invalid api key, model not found' }],
    },
  });
}

const failure = (thrown: unknown) =>
  endpointFailure(thrown, { provider: 'Scripted', model: 'docs-model' }, now, (text) => text);

/** What real endpoints say, and what it means. */
const said: readonly (readonly [number, string, JobErrorCode])[] = [
  [
    401,
    '{"error":{"message":"Incorrect API key provided: sk-ab***yz.","type":"invalid_request_error","code":"invalid_api_key"}}',
    'model_authentication_failed',
  ],
  [
    400,
    '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]',
    'model_authentication_failed',
  ],
  [
    401,
    '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
    'model_authentication_failed',
  ],
  [
    403,
    '{"error":{"message":"Country, region, or territory not supported","code":"unsupported_country_region_territory"}}',
    'model_authentication_failed',
  ],
  [
    404,
    '{"error":{"message":"The model `gpt-9` does not exist or you do not have access to it.","code":"model_not_found"}}',
    'model_not_found',
  ],
  [404, '{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}', 'model_not_found'],
  [
    404,
    '{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}',
    'model_not_found',
  ],
  [404, '{"error":"model \\"qwen9\\" not found, try pulling it first"}', 'model_not_found'],
  [400, '{"error":{"message":"gpt-9 is not a valid model ID","code":400}}', 'model_not_found'],
  [
    404,
    '{"object":"error","message":"The model `x` does not exist.","type":"NotFoundError","code":404}',
    'model_not_found',
  ],
  [404, '404 page not found', 'network'],
  [404, '{"detail":"Not Found"}', 'network'],
  [405, '<html>Method not allowed</html>', 'network'],
  [402, '{"error":{"message":"Insufficient Balance","type":"unknown_error"}}', 'model_no_credit'],
  [
    402,
    '{"error":{"message":"This request requires more credits, or fewer max_tokens.","code":402}}',
    'model_no_credit',
  ],
  [
    429,
    '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
    'model_no_credit',
  ],
  [
    429,
    '{"error":{"message":"Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 6s.","code":"rate_limit_exceeded"}}',
    'model_overloaded',
  ],
  [
    429,
    '{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed the rate limit of 40,000 input tokens per minute"}}',
    'model_overloaded',
  ],
  [429, '{"message":"Too many tokens, please wait before trying again."}', 'model_overloaded'],
  [
    429,
    '{"error":{"message":"Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 41000.","code":"rate_limit_exceeded"}}',
    'context_too_large',
  ],
  [529, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'model_overloaded'],
  [503, '<html>Service Unavailable</html>', 'model_overloaded'],
  [504, '', 'model_overloaded'],
  [
    400,
    '{"error":{"message":"This model\'s maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.","code":"context_length_exceeded"}}',
    'context_too_large',
  ],
  [
    400,
    '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
    'context_too_large',
  ],
  [
    400,
    '{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}',
    'context_too_large',
  ],
  [
    400,
    '{"error":"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. context length exceeded"}',
    'context_too_large',
  ],
  [
    413,
    '{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
    'context_too_large',
  ],
  [
    400,
    '{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error"}}',
    'agent_unavailable',
  ],
  [
    404,
    '{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit the docs","code":404}}',
    'agent_unavailable',
  ],
  [
    400,
    '{"message":"\\"auto\\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"}',
    'agent_unavailable',
  ],
  [400, '{"error":{"message":"The response was filtered","code":"content_filter"}}', 'model_refused'],
  [400, '{"error":{"message":"Invalid value for temperature"}}', 'agent_failed'],
];

describe('names for what endpoints of models say', () => {
  for (const [status, body, code] of said) {
    it(`${code}: ${status} ${body.slice(0, 90)}`, () => {
      const { error, overflow } = failure(answered(status, body));
      assert.equal(error.code, code, error.message);
      assert.equal(overflow, code === 'context_too_large');
      assert.ok(!String(error.cause).includes('requestBodyValues'));
    });
  }

  it('reads network failures below the errors of libraries', () => {
    const at = (code: string): Error =>
      new TypeError('fetch failed', { cause: Object.assign(new Error(`connect ${code}`), { code }) });
    for (const code of [
      'ECONNREFUSED',
      'ECONNRESET',
      'ETIMEDOUT',
      'EAI_AGAIN',
      'UND_ERR_SOCKET',
      'UND_ERR_CONNECT_TIMEOUT',
    ]) {
      assert.deepEqual([failure(at(code)).error.code, failure(at(code)).passing], ['network', true], code);
    }
    for (const code of [
      'ENOTFOUND',
      'CERT_HAS_EXPIRED',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'HPE_INVALID_CONSTANT',
      'UND_ERR_HEADERS_OVERFLOW',
    ]) {
      assert.deepEqual([failure(at(code)).error.code, failure(at(code)).passing], ['network', false], code);
    }
    assert.match(failure(at('HPE_INVALID_CONSTANT')).error.message, /is no language model/);
  });

  it('reads how long to wait, however it is said', () => {
    const after = (headers: Record<string, string>) => failure(answered(429, '{}', headers)).retryAfterMs;
    assert.equal(after({ 'retry-after': '12' }), 12_000);
    assert.equal(after({ 'retry-after-ms': '350', 'retry-after': '1' }), 350);
    assert.equal(after({ 'retry-after': new Date(now + 30_000).toUTCString() }), 30_000);
    assert.equal(after({ 'retry-after': new Date(now - 30_000).toUTCString() }), 0);
    assert.equal(after({ 'retry-after': '31536000' }), 31_536_000_000);
    assert.equal(after({ 'retry-after': '1e300' }), 31_622_400_000);
    assert.equal(after({ 'retry-after-ms': '1e300' }), 31_622_400_000);
    assert.equal(after({ 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }), 31_622_400_000);
    assert.equal(after({ 'retry-after': '-5' }), undefined);
    assert.equal(after({ 'retry-after': 'soon' }), undefined);
    assert.equal(after({}), undefined);
  });

  it('quotes an unnamed refusal on one line, shortened', () => {
    const { error } = failure(
      answered(400, JSON.stringify({ error: { message: `Bad\n\u0007${'x'.repeat(5000)}` } })),
    );
    assert.ok(error.message.length < 400);
    assert.match(error.message, /^Scripted refused the request and said: "Bad x+"\. /);
  });

  it('takes anything that is thrown', () => {
    for (const thrown of [undefined, null, 'text', 7, {}, new Error('')]) {
      assert.equal(failure(thrown).error.code, 'agent_failed');
    }
    const circle: { cause?: unknown } = new Error('circle');
    circle.cause = circle;
    assert.equal(failure(circle).error.code, 'agent_failed');
  });
});

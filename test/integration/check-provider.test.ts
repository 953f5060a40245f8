import assert from 'node:assert/strict';
import { checkProvider } from '../../src/adapters/agents/model/check-provider.ts';
import type { ModelProvider, ProviderCheck } from '../../src/contract/agents.ts';
import { Redactor } from '../../src/service/redaction.ts';
import { scriptedKey, wires } from '../support/model-stand.ts';
import { startScriptedModel } from '../support/scripted-model.ts';

function check(given: Partial<ModelProvider>, model?: string): Promise<ProviderCheck> {
  const provider: ModelProvider = {
    id: 'scripted',
    name: 'Scripted',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:9/v1',
    models: [],
    ...given,
  };
  return checkProvider(provider, model, fetch, new Redactor(), new AbortController().signal);
}

/** A provider whose server answers every request like this. */
function answering(body: string, status = 200, contentType = 'application/json'): Promise<ProviderCheck> {
  const provider: ModelProvider = {
    id: 'scripted',
    name: 'Scripted',
    kind: 'openai-compatible',
    baseUrl: 'https://models.example/v1',
    models: [],
    apiKey: scriptedKey,
  };
  const answer: typeof fetch = async () =>
    new Response(body, { status, headers: { 'content-type': contentType } });
  return checkProvider(provider, undefined, answer, new Redactor(), new AbortController().signal);
}

describe('check of a provider', () => {
  for (const kind of wires) {
    it(`${kind}: tells its models, and spends nothing`, async () => {
      await using model = await startScriptedModel({
        key: scriptedKey,
        models: ['large', 'small'],
        script: [],
      });
      const found = await check({ kind, baseUrl: model.url, apiKey: scriptedKey }, 'small');
      assert.deepEqual(found, {
        ok: true,
        message: 'Scripted is ready, with 2 models.',
        models: ['large', 'small'],
      });
      assert.equal(model.requests.length, 0, 'no request reached a model');
      const other = await check({ kind, baseUrl: `${model.url}/`, apiKey: scriptedKey }, 'huge');
      assert.match(other.message, /does not list the model huge/);
    });

    it(`${kind}: tells a wrong key`, async () => {
      await using model = await startScriptedModel({ key: scriptedKey, script: [] });
      const found = await check({ kind, baseUrl: model.url, apiKey: 'sk-of-somebody-else' });
      assert.equal(found.ok, false);
      assert.match(found.message, /does not take the key/);
    });

    it(`${kind}: tells a wrong path`, async () => {
      await using model = await startScriptedModel({ key: scriptedKey, script: [] });
      const found = await check({ kind, baseUrl: model.url.replace('/v1', '/v2'), apiKey: scriptedKey });
      assert.equal(found.ok, false);
      assert.match(found.message, /Check the address/);
    });

    it(`${kind}: tells that nobody answers`, async () => {
      const model = await startScriptedModel({ script: [] });
      await model[Symbol.asyncDispose]();
      const found = await check({ kind, baseUrl: model.url });
      assert.equal(found.ok, false);
      assert.match(found.message, /cannot be reached/);
    });
  }

  it('tells a page, a redirect, an empty server and an account without credit', async () => {
    assert.match((await answering('<html></html>', 200, 'text/html')).message, /Check the address/);
    assert.match((await answering('<html></html>', 404, 'text/html')).message, /Check the address/);
    assert.match((await answering('{"hello":"world"}')).message, /Check the address/);
    assert.match((await answering('', 302)).message, /Check the address/);
    assert.match((await answering('{"object":"list","data":[]}')).message, /no model yet/);
    assert.match((await answering('{"object":"list","data":null}')).message, /no model yet/);
    assert.match((await answering('{"error":{"message":"Busy"}}', 503)).message, /out of order/);
  });

  it('finds out a wrong key where the list of models is open to everybody', async () => {
    const provider: ModelProvider = {
      id: 'open',
      name: 'Open',
      kind: 'openai-compatible',
      baseUrl: 'https://models.example/v1',
      models: [],
      apiKey: 'sk-of-somebody-else',
    };
    const asked: string[] = [];
    const open: typeof fetch = async (input, init) => {
      asked.push(`${init?.method} ${input instanceof Request ? input.url : input.toString()}`);
      return init?.method === 'GET'
        ? Response.json({ data: [{ id: 'large' }] })
        : Response.json({ error: { message: 'No auth credentials found' } }, { status: 401 });
    };
    const found = await checkProvider(
      provider,
      undefined,
      open,
      new Redactor(),
      new AbortController().signal,
    );
    assert.match(found.message, /does not take the key/);
    assert.deepEqual(asked, [
      'GET https://models.example/v1/models',
      'POST https://models.example/v1/chat/completions',
    ]);
  });

  it('sends no key in the clear, and ends with its signal', async () => {
    const found = await check({ baseUrl: 'http://models.example/v1', apiKey: scriptedKey });
    assert.match(found.message, /https/);
    const reason = new Error('gone');
    const provider: ModelProvider = {
      id: 'a',
      name: 'A',
      kind: 'anthropic',
      baseUrl: 'http://127.0.0.1:9/v1',
      models: [],
    };
    await assert.rejects(
      checkProvider(provider, undefined, fetch, new Redactor(), AbortSignal.abort(reason)),
      (error) => error === reason,
    );
  });
});

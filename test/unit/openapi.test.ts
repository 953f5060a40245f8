import assert from 'node:assert/strict';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { routes } from '../../src/contract/routes.ts';
import { resolved, type Description } from '../support/openapi-reading.ts';

const text = JSON.stringify(openApiDocument('1.2.3'));
const description = JSON.parse(text) as Description;

/** A copy, because the validator changes what it is given. */
function plain(value: Description): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

describe('the generated description', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(plain(description));
    assert.deepEqual(result.errors ?? [], []);
    assert.equal(result.valid, true);
    assert.equal(validator.version, '3.1');
  });

  it('would be found invalid if it were broken', async () => {
    const broken = structuredClone(description);
    delete broken.paths['/healthz']?.['get']?.responses['200']?.description;
    const result = await new Validator().validate(plain(broken));
    assert.equal(result.valid, false);
    assert.match(JSON.stringify(result.errors), /must have required property 'description'/);
  });

  it('has schemas that compile, all of them used, and references that lead somewhere', () => {
    const ajv = new Ajv2020({ allErrors: true, formats: { uri: true, 'date-time': true } });
    // Only the document around the schemas is foreign to JSON Schema.
    ajv.addVocabulary(Object.keys(description));
    ajv.addSchema(description, 'doc', undefined, false);
    const references = new Set(text.match(/#\/components\/schemas\/\w+/g));
    for (const $ref of references) resolved(description, { $ref });
    for (const name of Object.keys(description.components.schemas)) {
      assert.ok(references.has(`#/components/schemas/${name}`), `${name} is not used`);
      assert.equal(typeof ajv.compile({ $ref: `doc#/components/schemas/${name}` }), 'function');
    }
  });

  it('describes every route but the pages for people, with each parameter of its path', () => {
    const ids = new Set<string | undefined>();
    for (const [path, methods] of Object.entries(description.paths)) {
      for (const operation of Object.values(methods)) {
        assert.ok(!ids.has(operation.operationId));
        ids.add(operation.operationId);
        const named = (operation.parameters ?? []).filter((each) => each.in === 'path');
        assert.deepEqual(
          named.map((each) => each.name),
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        );
      }
    }
    const described = Object.keys(description.paths).toSorted();
    const { editorAnswer, ...others } = routes;
    const expected = [
      ...Object.values(others).map((route) => route('{projectId}', '{id}')),
      editorAnswer('{requestId}'),
    ].map((path) => decodeURIComponent(path));
    assert.deepEqual(described, expected.filter((path) => !path.startsWith('/review/')).toSorted());
  });

  it('asks for a key everywhere but for health and the description itself', () => {
    assert.deepEqual(description.security, [{ bearerAuth: [] }]);
    const open = Object.entries(description.paths)
      .filter(([, methods]) => Object.values(methods).some((each) => each.security?.length === 0))
      .map(([path]) => path);
    assert.deepEqual(open, ['/openapi.json', '/healthz', '/readyz']);
  });

  it('leaves objects open, so that a reader accepts fields that come later', () => {
    assert.ok(!text.includes('"additionalProperties":false'));
  });
});

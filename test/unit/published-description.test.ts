import assert from 'node:assert/strict';
import { openApiDocument } from '../../src/contract/openapi.ts';
import {
  jsonSchema,
  keyword,
  resolved,
  typesOf,
  type Description,
  type DescribedOperation,
  type Schema,
} from '../support/openapi-reading.ts';
import {
  published as publishedJson,
  publishedChecks,
  publishedOperations,
} from '../support/published-api.ts';

const description = JSON.parse(JSON.stringify(openApiDocument('1.2.3'))) as Description;
const published: Description = publishedJson;

/** Everything that the published schema says about a value is said by ours as well. */
function assertCovers(ours: Schema, theirs: Schema, at: string): void {
  assert.deepEqual(typesOf(ours), typesOf(theirs), `${at}: types`);
  for (const name of ['format', 'enum', 'minLength'] as const) {
    assert.deepEqual(keyword(ours, name), keyword(theirs, name), `${at}: ${name}`);
  }
  for (const [name, schema] of Object.entries(theirs.properties ?? {})) {
    assertCovers(resolved(description, ours.properties?.[name]), schema, `${at}.${name}`);
  }
}

function requiredOf(operation: DescribedOperation): string[] {
  const required = (operation.parameters ?? []).filter((each) => each.required);
  return required.map((each) => `${each.in} ${each.name}`);
}

describe('our description beside the published one', () => {
  for (const [name, { path, method, success }] of Object.entries(publishedOperations)) {
    const theirs = published.paths[path]?.[method];
    const ours = description.paths[path]?.[method];
    assert.ok(theirs);

    it(`${name} has the same path, method and required parameters`, () => {
      assert.ok(ours);
      assert.deepEqual(requiredOf(ours), requiredOf(theirs));
    });

    it(`${name} answers every published status with the published shape`, () => {
      for (const [status, response] of Object.entries(theirs.responses)) {
        const schema = jsonSchema(description, ours?.responses[status]);
        assertCovers(schema, jsonSchema(published, response), `${name} ${status}`);
      }
      // The published description requires no field; ours always sends every published one.
      const job = jsonSchema(description, ours?.responses[success]);
      const everyField = Object.keys(published.components.schemas['AgentJob']?.properties ?? {});
      assert.equal(everyField.length, 7);
      assert.deepEqual(new Set(job.required), new Set(everyField));
    });

    if (method !== 'post') continue;
    it(`${name} takes the published body`, () => {
      const body = jsonSchema(description, ours?.requestBody);
      const theirBody = jsonSchema(published, theirs.requestBody);
      assertCovers(body, theirBody, name);
      assert.deepEqual(body.required, theirBody.required);
      assert.equal(ours?.requestBody?.required, true);
    });
  }

  it('a job of ours passes the published check, and a wrong one does not', () => {
    const { agentJob } = publishedChecks('published');
    const job = {
      id: 'a',
      status: 'failed',
      source: { repository: '/home/w/docs', ref: null },
      model: 'rules',
      prLink: 'http://127.0.0.1:4711/review/x',
      createdAt: '2026-01-01T00:00:00.000Z',
      archivedAt: null,
      title: 'Replace a term',
      error: { code: 'cancelled', message: 'Cancelled.', retryable: false },
    };
    assert.ok(agentJob(job), JSON.stringify(agentJob.errors));
    for (const wrong of [
      { status: 'paused' },
      { prLink: 'no link' },
      { createdAt: 'yesterday' },
      { model: null },
    ]) {
      assert.equal(agentJob({ ...job, ...wrong }), false);
    }
  });
});

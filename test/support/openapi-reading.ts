import assert from 'node:assert/strict';

/** The parts of an OpenAPI document that the tests read, in version 3.0 or 3.1. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly nullable?: boolean;
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface DescribedOperation {
  readonly operationId?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content & { description?: string }>>;
}

export interface Description {
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The schema itself, or the component that it refers to. */
export function resolved(description: Description, schema: Schema | undefined): Schema {
  assert.ok(schema, 'there is no schema');
  if (schema.$ref === undefined) return schema;
  const found = description.components.schemas[schema.$ref.replace('#/components/schemas/', '')];
  assert.ok(found, schema.$ref);
  return found;
}

export function jsonSchema(description: Description, content: Content | undefined): Schema {
  return resolved(description, content?.content?.['application/json']?.schema);
}

/** The types that a schema allows, in either version's way of saying "or null". */
export function typesOf(schema: Schema): Set<string> {
  const types = new Set([schema.type ?? []].flat());
  if (schema.nullable === true) types.add('null');
  for (const each of schema.anyOf ?? []) for (const type of typesOf(each)) types.add(type);
  return types;
}

/** A keyword of a schema, also where "or null" hides it in an alternative. */
export function keyword<K extends 'format' | 'enum' | 'minLength'>(schema: Schema, name: K): Schema[K] {
  return schema[name] ?? schema.anyOf?.map((each) => each[name]).find((value) => value !== undefined);
}

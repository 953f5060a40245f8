import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';

type Schema = Record<string, unknown>;

interface OpenApi {
  readonly paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } } | undefined>
  >;
  readonly components?: { readonly schemas?: Record<string, Schema> };
  readonly definitions?: Record<string, Schema>;
}

/** Request bodies as a host's published description has them. */
export class RequestBodies {
  readonly #description: OpenApi;
  readonly #ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  /** @param file beside this one; references inside it are resolved */
  constructor(file: string) {
    this.#description = JSON.parse(readFileSync(path.join(import.meta.dirname, file), 'utf8')) as OpenApi;
  }

  /** The complaint about a body; undefined when it is as described. Throws when nothing is described. */
  complaint(method: string, template: string, body: unknown): string | undefined {
    const validate = this.#validator(method.toLowerCase(), template);
    if (validate === undefined || validate(body)) return undefined;
    return this.#ajv.errorsText(validate.errors);
  }

  #validator(method: string, template: string): ValidateFunction | undefined {
    const name = `${method} ${template}`;
    const known = this.#validators.get(name);
    if (known !== undefined) return known;
    const path_ = this.#description.paths[template];
    if (path_ === undefined) throw new Error(`nothing describes ${template}`);
    const content = path_[method]?.requestBody?.content ?? {};
    const schema = Object.values(content)[0]?.schema;
    if (schema === undefined) return undefined;
    const { components, definitions } = this.#description;
    // A field that the host does not know is a mistake of ours, although the host would overlook it.
    const body = this.#resolved(schema);
    const strict = {
      ...body,
      ...(body['properties'] !== undefined && { additionalProperties: false }),
      components,
      definitions,
    };
    const validate = this.#ajv.compile(strict);
    this.#validators.set(name, validate);
    return validate;
  }

  #resolved(schema: Schema): Schema {
    const { $ref: reference } = schema;
    if (typeof reference !== 'string') return schema;
    let found: unknown = this.#description;
    for (const part of reference.replace(/^#\//, '').split('/')) found = (found as Schema)[part];
    return found as Schema;
  }
}

import { toJsonSchema, toJsonSchemaDefs, type ConversionConfig, type JsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { EXAMPLES } from '#contract/api/examples.ts';
import { MAIN_API } from '#contract/api/main.ts';
import { NAMED } from '#contract/api/names.ts';
import { SPEECH_API } from '#contract/api/speech.ts';

export type { JsonSchema } from '@valibot/to-json-schema';
type Schema = v.GenericSchema;
/** An example in a JSON Schema. */
type JsonValue = NonNullable<JsonSchema['examples']>[number];

/** `request`: clients send it. `answer`: the server sends it, with defaults filled in. `query`: parsed parameters. */
export type Direction = 'request' | 'answer' | 'query';

const PREFIX = '#/components/schemas/';
const ANY_REF = /"\$ref":"#\/components\/schemas\/([^"]+)"/g;

/**
 * Actions that JSON Schema cannot express. Trimming and case keep the type. Checks by function add rules that the
 * server explains in its 400. After a transformation comes the schema of its result.
 */
const INEXPRESSIBLE = [
  'trim',
  'to_lower_case',
  'to_upper_case',
  'check',
  'check_items',
  'partial_check',
  'raw_check',
  'transform',
  'brand',
  'readonly',
];

/** @param strict throw at what JSON Schema cannot express, instead of leaving it out; for tests */
function configOf(direction: Direction, strict: boolean): ConversionConfig {
  return {
    target: 'draft-2020-12',
    typeMode: direction === 'request' ? 'input' : 'output',
    errorMode: strict ? 'throw' : 'ignore',
    ignoreActions: INEXPRESSIBLE,
    overrideRef: ({ referenceId }) => PREFIX + referenceId,
    ...(direction === 'answer' && {
      overrideSchema: ({ valibotSchema, jsonSchema }) => withDefaults(valibotSchema, jsonSchema),
    }),
  };
}

/** In an answer, a field with a default is required, and the schema does not show the default. */
function withDefaults(schema: Schema, json: JsonSchema): JsonSchema | undefined {
  if ('entries' in schema && json.properties !== undefined) {
    const filled = Object.entries(Object(schema.entries))
      .filter(([, entry]) => Object(entry).default !== undefined)
      .map(([key]) => key);
    return { ...json, required: [...(json.required ?? []), ...filled] };
  }
  if (!('default' in json)) return undefined;
  const { default: _ours, ...rest } = json;
  return rest;
}

const refsIn = (json: unknown): string[] => [...JSON.stringify(json).matchAll(ANY_REF)].map(([, name = '']) => name);

/** The JSON Schemas of one document. Writes named schemas once, under `components`. */
export class SchemaBook {
  readonly #strict: boolean;
  readonly #named: Record<Direction, Record<string, JsonSchema>>;
  readonly #used: Record<Direction, Set<string>> = { request: new Set(), answer: new Set(), query: new Set() };

  constructor({ strict = false } = {}) {
    this.#strict = strict;
    const defs = (direction: Direction): Record<string, JsonSchema> =>
      toJsonSchemaDefs(NAMED, configOf(direction, strict));
    this.#named = { request: defs('request'), answer: defs('answer'), query: {} };
  }

  /** Converts a schema; named schemas become references into {@link components}. */
  of(schema: Schema, direction: Direction): JsonSchema {
    const json = this.#convert(schema, direction);
    this.#reach(json, direction);
    return direction === 'request' ? this.#renamed(json) : json;
  }

  /** Named schemas in use. If request and answer differ, the request's schema is called `…Input`. */
  components(): Record<string, JsonSchema> {
    const all: [string, JsonSchema][] = [];
    for (const name of this.#used.answer) all.push([name, this.#definition(name, 'answer')]);
    for (const name of this.#used.request) {
      if (this.#differs(name)) all.push([`${name}Input`, this.#renamed(this.#definition(name, 'request'))]);
      else if (!this.#used.answer.has(name)) all.push([name, this.#definition(name, 'request')]);
    }
    return Object.fromEntries(all.sort(([a], [b]) => a.localeCompare(b)));
  }

  #convert(schema: Schema, direction: Direction): JsonSchema {
    const definitions: typeof NAMED = direction === 'query' ? {} : NAMED;
    const name = Object.keys(definitions).find((key) => definitions[key] === schema);
    if (name !== undefined) return { $ref: PREFIX + name };
    const {
      $schema: _dialect,
      $defs: _definitions,
      ...json
    } = toJsonSchema(schema, { ...configOf(direction, this.#strict), definitions });
    return json;
  }

  #definition(name: string, direction: Direction): JsonSchema {
    const example = exampleOf(NAMED[name], direction);
    return { ...this.#named[direction][name], ...(example !== undefined && { examples: [example] }) };
  }

  #reach(json: unknown, direction: Direction): void {
    for (const name of refsIn(json)) {
      if (this.#used[direction].has(name)) continue;
      this.#used[direction].add(name);
      this.#reach(this.#named[direction][name], direction);
    }
  }

  /** Whether request and answer differ, in the named schema itself or in one that it refers to. */
  #differs(name: string, above: readonly string[] = []): boolean {
    if (above.includes(name)) return false;
    const { request, answer } = this.#named;
    return (
      JSON.stringify(request[name]) !== JSON.stringify(answer[name]) ||
      refsIn(request[name]).some((inner) => this.#differs(inner, [...above, name]))
    );
  }

  #renamed(json: JsonSchema): JsonSchema {
    return JSON.parse(
      JSON.stringify(json).replace(ANY_REF, (whole, name: string) =>
        this.#differs(name) ? `"$ref":"${PREFIX}${name}Input"` : whole,
      ),
    );
  }
}

/** The examples that stand in the rows of calls. */
export const BODY_EXAMPLES: ReadonlyMap<Schema, unknown> = new Map(
  [...MAIN_API, ...SPEECH_API].flatMap(({ body }) =>
    body && 'json' in body && body.example !== undefined ? [[body.json, body.example] as const] : [],
  ),
);

/** The example of a schema as JSON, with defaults filled in for an answer. Undefined if there is none. */
export function exampleOf(schema: Schema | undefined, direction: Direction): JsonValue | undefined {
  const example = schema && (EXAMPLES.get(schema) ?? BODY_EXAMPLES.get(schema));
  if (schema === undefined || example === undefined) return undefined;
  return JSON.parse(JSON.stringify(direction === 'answer' ? v.safeParse(schema, example).output : example));
}

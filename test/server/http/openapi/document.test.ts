import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { EXAMPLES } from '#contract/api/examples.ts';
import { MAIN_API } from '#contract/api/main.ts';
import { NAMED } from '#contract/api/names.ts';
import { SPEECH_API, SPEECH_WEBHOOKS } from '#contract/api/speech.ts';
import { loadConfig } from '#server/platform/config.ts';
import { describeApi, type OpenApiDocument, type Operation } from '#server/http/openapi/document.ts';
import { describeApis } from '#server/http/openapi/apis.ts';
import { BODY_EXAMPLES } from '#server/http/openapi/schemas.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { findings } from './json-schema.ts';

const written = describeApis({
  config: loadConfig({ PRODUCT_NAME: 'Acme' }),
  publicUrl: () => 'https://console.example.com',
});
const documents: [string, OpenApiDocument][] = Object.entries(written);

const operationsOf = ({ paths, webhooks = {} }: OpenApiDocument): { path: string; operation: Operation }[] =>
  Object.entries({ ...paths, ...webhooks }).flatMap(([path, item]) =>
    Object.values(item).map((operation) => ({ path, operation })),
  );
/** Every JSON Schema of a kind of body, with the example beside it. */
const bodiesOf = (document: OpenApiDocument) =>
  operationsOf(document).flatMap(({ operation }) => [
    ...Object.entries(operation.requestBody?.content ?? {}).map(([type, media]) => ({
      where: `${operation.operationId} body`,
      type,
      sent: true,
      media,
    })),
    ...Object.entries(operation.responses).flatMap(([status, { content }]) =>
      Object.entries(content ?? {}).map(([type, media]) => ({
        where: `${operation.operationId} ${status}`,
        type,
        sent: false,
        media,
      })),
    ),
  ]);

describe.each(documents)('the document of the %s API', (_name, document) => {
  const operations = operationsOf(document);

  it('is OpenAPI 3.1 with a title, a version and the public address', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: expect.stringMatching(/^Acme /), version: expect.any(String) },
      servers: [{ url: 'https://console.example.com' }],
    });
    expect(operations.length).toBeGreaterThan(10);
  });

  it('refers only to what it holds, and holds only what it refers to', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref);
    expect(new Set(refs)).toEqual(
      new Set(Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)),
    );
  });

  it('has no two paths that differ by the name of a parameter only', () => {
    const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
    expect(new Set(shapes).size).toBe(shapes.length);
  });

  it('lists every tag that its calls have', () => {
    expect(document.tags.map(({ name }) => name)).toEqual(
      expect.arrayContaining(operations.flatMap(({ operation }) => operation.tags)),
    );
  });

  it('gives every JSON body a name, and every one that is sent an example', () => {
    const bodies = bodiesOf(document).filter(({ type }) => type === 'application/json');
    const nameless = bodies.filter(({ media }) => (media.schema?.$ref ?? media.schema?.allOf) === undefined);
    expect(
      nameless.map(
        ({ where }) =>
          `${where}: give its schema a name in \`names\` of the call, or export it from a file that contract/api/names.ts lists`,
      ),
    ).toEqual([]);
    const withoutExample = bodies.filter(({ sent, media }) => sent && media.example === undefined);
    expect(withoutExample.map(({ where }) => `${where}: give the body of its call an \`example\``)).toEqual([]);
  });

  it('its examples fit its schemas', () => {
    const { schemas } = document.components;
    const bodies = bodiesOf(document).filter(({ media }) => media.example !== undefined);
    expect(bodies.flatMap(({ where, media }) => findings(media.example, media.schema, schemas, where))).toEqual([]);
    expect(
      Object.entries(schemas).flatMap(([name, schema]) =>
        (schema.examples ?? []).flatMap((example) => findings(example, schema, schemas, name)),
      ),
    ).toEqual([]);
  });
});

describe('both documents', () => {
  it('name every operation once', () => {
    const ids = documents.flatMap(([, document]) =>
      operationsOf(document).map(({ operation }) => operation.operationId),
    );
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids).toHaveLength(MAIN_API.length + SPEECH_API.length + SPEECH_WEBHOOKS.length + 1);
  });

  it('leave nothing of the contract unsaid but what is known to have no word in JSON Schema', () => {
    expect(() =>
      describeApis({ config: loadConfig({}), publicUrl: () => 'https://console.example.com' }, { strict: true }),
    ).not.toThrow();
  });

  it('the contract gives no name to two schemas', async () => {
    const folder = join(projectRoot, 'contract');
    const seen = new Map<string, unknown>();
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts'))) {
      const module: Record<string, unknown> = await import(pathToFileURL(join(folder, file)).href);
      for (const [name, value] of Object.entries(module)) {
        if (Object(value).kind !== 'schema') continue;
        expect([file, name, seen.has(name)]).toEqual([file, name, false]);
        seen.set(name, value);
      }
    }
    for (const [name, schema] of Object.entries(NAMED)) expect(seen.get(name)).toBe(schema);
  });

  it('the examples of the contract pass its own checks', () => {
    for (const [schema, example] of [...EXAMPLES, ...BODY_EXAMPLES])
      expect(v.safeParse(schema, example).issues).toBeUndefined();
  });

  it('say where else the speech API and the live socket are', () => {
    const { speech, main } = describeApis({
      config: loadConfig({ SPEECH_BASE_URL: 'https://api.example.com/', STREAMING_URL: 'wss://rt.example.com/live' }),
      publicUrl: () => 'https://console.example.com',
    });
    expect([main.servers, speech.servers]).toEqual([
      [{ url: 'https://console.example.com' }],
      [{ url: 'https://api.example.com' }],
    ]);
    expect(speech.paths['/transcribe-websocket']?.['get']?.['x-websocket']?.url).toBe('wss://rt.example.com/live');
    expect(written.speech.paths['/transcribe-websocket']?.['get']?.['x-websocket']?.url).toBe(
      'wss://console.example.com/transcribe-websocket',
    );
  });
});

describe('schemas by direction', () => {
  const api = (routes: Parameters<typeof describeApi>[0]['routes']) =>
    describeApi({ title: 'T', version: '1', url: 'https://example.com', routes }, { strict: true });
  const route = { path: '/v1/things', id: 'thing', tag: 'Things', summary: 'A thing', access: 'key' } as const;

  it('a default may be left out of a request, and is always there in an answer', () => {
    const Thing = v.object({
      name: v.pipe(v.string(), v.trim(), v.minLength(1)),
      size: v.optional(v.number(), 3),
      note: v.nullish(v.string(), null),
      tag: v.optional(v.string()),
    });
    const { paths } = api([{ ...route, method: 'post', body: { json: Thing }, answers: { 200: Thing } }]);
    const operation = paths['/v1/things']?.['post'];
    expect(operation?.requestBody?.content['application/json']?.schema).toMatchObject({
      required: ['name'],
      properties: { name: { type: 'string', minLength: 1 }, size: { type: 'number', default: 3 } },
    });
    expect(operation?.responses['200']?.content?.['application/json']?.schema).toEqual({
      type: 'object',
      required: ['name', 'size', 'note'],
      properties: {
        name: { type: 'string', minLength: 1 },
        size: { type: 'number' },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        tag: { type: 'string' },
      },
    });
  });

  it('a named schema that reads differently both ways gets a name for its request', () => {
    const { paths, components } = api([
      {
        ...route,
        method: 'put',
        body: { json: v.object({ of: required('Transcription') }) },
        answers: { 200: required('TranscriptionPage') },
      },
    ]);
    expect(JSON.stringify(paths['/v1/things']?.['put']?.requestBody)).toContain(
      '"#/components/schemas/TranscriptionInput"',
    );
    expect(components.schemas['TranscriptionInput']?.required).not.toContain('audio_url');
    expect(components.schemas['Transcription']?.required).toContain('audio_url');
    // What reads the same both ways keeps its one name.
    expect(Object.keys(components.schemas).filter((name) => name.startsWith('Context'))).toEqual(['Context']);
  });

  it('a parameter of the path is required, one of the query is described by what its text stands for', () => {
    const { paths } = api([
      {
        ...route,
        path: '/v1/things/{thing}',
        method: 'get',
        query: v.object({
          limit: v.optional(v.pipe(v.string(), v.transform(Number), v.number(), v.maxValue(9))),
          token: v.string(),
        }),
        answers: { 204: 'nothing' },
      },
    ]);
    expect(paths['/v1/things/{thing}']?.['get']?.parameters).toEqual([
      { name: 'thing', in: 'path', required: true, schema: expect.anything() },
      { name: 'limit', in: 'query', required: false, schema: { type: 'number', maximum: 9 } },
      { name: 'token', in: 'query', required: true, schema: { type: 'string' } },
    ]);
  });
});

function required(name: string): v.GenericSchema {
  const schema = NAMED[name];
  if (!schema) throw new Error(`${name} has no name`);
  return schema;
}

import { expect, it } from 'vitest';
import type { JsonSchema } from '@valibot/to-json-schema';
import { ERROR_TYPES } from '#contract/api/errors.ts';
import { TRANSCRIPTION_ERRORS } from '#contract/transcriptions.ts';
import { describeApis } from '#server/http/openapi/apis.ts';
import { FIELD_WORDS } from '#server/http/openapi/words.ts';
import { guide } from '#server/http/openapi/reference/guide.ts';
import { shape } from '#server/http/openapi/reference/types.ts';
import { loadConfig } from '#server/platform/config.ts';

const { speech } = describeApis({ config: loadConfig({}), publicUrl: () => 'https://console.example.com' });

/** Every field inside a schema, by its path. */
function fieldsOf(schema: JsonSchema | boolean | undefined, path: string): [string, JsonSchema][] {
  if (typeof schema !== 'object') return [];
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, field]): [string, JsonSchema][] => [
      [`${path}.${name}`, typeof field === 'object' ? field : {}],
      ...fieldsOf(field, `${path}.${name}`),
    ]),
    ...[...(Array.isArray(items) ? items : [items]), ...anyOf, ...oneOf, ...allOf].flatMap((part) =>
      fieldsOf(part, path),
    ),
  ];
}
const operations = Object.values(speech.paths).flatMap((item) => Object.values(item));
const fields = [
  ...Object.entries(speech.components.schemas).flatMap(([name, schema]) => fieldsOf(schema, name)),
  ...operations.flatMap(({ requestBody }) =>
    Object.values(requestBody?.content ?? {}).flatMap((media) => fieldsOf(media.schema, '')),
  ),
];
const parameters = operations.flatMap(({ parameters: all = [] }) => all);

it('DOC-07: every field and parameter of the speech API says what it is for', () => {
  const silent = [
    ...fields.filter(([, { description }]) => description === undefined).map(([path]) => path),
    ...parameters.filter(({ description }) => description === undefined).map((one) => `${one.in}.${one.name}`),
  ];
  expect([...new Set(silent)]).toEqual([]);
});

it('describes no field that there is not', () => {
  const paths = [
    ...fields.map(([path]) => path.replace(/^(\w+)Input\./, '$1.').replace(/^\./, '')),
    ...parameters.map((one) => `${one.in}.${one.name}`),
  ];
  const isThere = (words: string): boolean => paths.some((path) => path === words || path.endsWith(`.${words}`));
  expect(Object.keys(FIELD_WORDS).filter((words) => !isThere(words))).toEqual([]);
});

it.each([
  ['off', /refuses it\.$/],
  ['on', /which the server downloads\.$/],
])('DOC-07: with FETCH_AUDIO_URLS=%s says whether an audio_url is taken', (FETCH_AUDIO_URLS, words) => {
  const publicUrl = (): string => 'https://console.example.com';
  const { schemas } = describeApis({ config: loadConfig({ FETCH_AUDIO_URLS }), publicUrl }).speech.components;
  expect(fieldsOf(schemas['TranscriptionCreate'], '').find(([path]) => path === '.audio_url')?.[1].description).toMatch(
    words,
  );
});

it('DOC-07: a download without its token is refused as one that does not exist, and as nothing else of the client', () => {
  const { responses } = speech.paths['/v1/files/{id}/download']?.['get'] ?? { responses: {} };
  expect(Object.keys(responses).filter((status) => status.startsWith('4'))).toEqual(['404', '416']);
});

it('DOC-07: each call with an answer in JSON has an example of it', () => {
  const bare = operations.filter(({ responses }) =>
    Object.values(responses).some(
      (response) =>
        response['x-error-types'] === undefined &&
        response.content?.['application/json'] !== undefined &&
        response.content['application/json'].example === undefined,
    ),
  );
  expect(bare.map(({ operationId }) => operationId)).toEqual([]);
});

it('DOC-07: the reference shows it beneath the field, with its values as code', () => {
  const html = shape('speech', { properties: { status: { type: 'string', description: '`queued` & more' } } });
  expect(html).toContain('<p class="about"><code>queued</code> &amp; more</p>');
});

it("lists the speech API's own kinds of errors before those of the console API", () => {
  const [own = '', others = ''] = guide(speech, []).split('Kinds of errors of the console API alone');
  expect(own).toContain('id="invalid-audio"');
  expect(own).toContain('id="max-duration-reached"');
  for (const type of [...TRANSCRIPTION_ERRORS, 'cancelled', 'method_not_allowed', 'project_not_found', 'unknown_host'])
    expect(own).toContain(`id="${type.replaceAll('_', '-')}"`);
  expect(own).not.toContain('id="invitation-pending"');
  expect(others).toContain('id="invitation-pending"');
  expect(guide(speech, []).split('<li id="').length - 1).toBe(Object.keys(ERROR_TYPES).length);
});

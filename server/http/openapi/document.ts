import type { ApiRoute, ApiSocket, ApiWebhook } from '#contract/api/route.ts';
import { ApiError } from '#contract/errors.ts';
import { Uuid } from '#contract/fields.ts';
import { may, ROLES, type Action } from '#contract/roles.ts';
import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import { exampleOf, SchemaBook, type Direction, type JsonSchema } from './schemas.ts';

interface Media {
  schema?: JsonSchema;
  example?: unknown;
}
type Content = Readonly<Record<string, Media>>;
interface Response {
  description: string;
  /** The `error_type` values of an error. */
  'x-error-types'?: readonly string[];
  content?: Content;
}
export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  description?: string;
  schema: JsonSchema;
}
export interface Frame {
  name: string;
  schema?: JsonSchema;
  example?: unknown;
}

/** An operation object of OpenAPI 3.1. */
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: true; content: Content };
  responses: Record<string, Response>;
  /** The frames of a WebSocket by sender. OpenAPI has no field for them. */
  'x-websocket'?: {
    url: string;
    /** Each may precede a key; our own first. */
    subprotocols: readonly string[];
    client: Frame[];
    server: Frame[];
    errors: Readonly<Record<number, readonly string[]>>;
  };
}

/** An OpenAPI 3.1 document: the fields that this server writes. */
export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  /** Calls that this server makes. */
  webhooks?: Record<string, { post: Operation }>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, object> };
}

/** One API: its title, address and rows. */
export interface Api {
  title: string;
  version: string;
  /** Origin. */
  url: string;
  routes: readonly ApiRoute[];
  socket?: ApiSocket & { url: string };
  webhooks?: readonly ApiWebhook[];
}

const SCHEMES: Record<ApiRoute['access'], Record<string, object>> = {
  none: {},
  csrf: {
    csrfHeader: { type: 'apiKey', in: 'header', name: CSRF_HEADER },
    csrfCookie: { type: 'apiKey', in: 'cookie', name: CSRF_COOKIE },
  },
  bearer: { accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
  key: { apiKey: { type: 'http', scheme: 'bearer' } },
};
/** Errors that follow from a row's access. */
const ACCESS_ERRORS: Record<ApiRoute['access'], ApiRoute['errors']> = {
  none: {},
  csrf: { 400: ['csrf_failed'] },
  bearer: { 401: ['unauthenticated'] },
  key: { 401: ['unauthenticated'], 429: ['limit_exceeded'] },
};
/** Errors that follow from a row's action: 404 for others' places, 403 unless every role may. */
const actionErrors = (action: Action): ApiRoute['errors'] => ({
  ...(!ROLES.every((role) => may(role, action)) && { 403: ['permission_denied'] }),
  404: ['not_found'],
});
const DONE: Record<number, string> = {
  200: 'OK',
  201: 'Created',
  204: 'Done, no content',
  206: 'Part of the file',
  304: 'Not modified',
  416: 'No such range',
};

const securityOf = (access: ApiRoute['access']): Operation['security'] =>
  access === 'none' ? [] : [Object.fromEntries(Object.keys(SCHEMES[access]).map((name) => [name, []]))];

/** Writes the document of an API from its rows. @param strict see {@link SchemaBook} */
export function describeApi(api: Api, { strict = false } = {}): OpenApiDocument {
  const book = new SchemaBook({ strict });
  const paths: OpenApiDocument['paths'] = {};
  for (const route of api.routes)
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route, book) };
  if (api.socket) paths[api.socket.path] = { get: socketOf(api.socket, book) };
  const webhooks = (api.webhooks ?? []).map((webhook) => [webhook.id, { post: webhookOf(webhook, book) }] as const);
  const used = [...api.routes, ...(api.socket ? [api.socket] : [])];
  return {
    openapi: '3.1.0',
    info: { title: api.title, version: api.version },
    servers: [{ url: api.url }],
    tags: [...new Set(used.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    ...(webhooks.length > 0 && { webhooks: Object.fromEntries(webhooks) }),
    components: {
      schemas: book.components(),
      securitySchemes: Object.assign({}, ...api.routes.map(({ access }) => SCHEMES[access])),
    },
  };
}

const titleOf = ({ summary, description }: Pick<ApiRoute, 'summary' | 'description'>) => ({
  summary,
  ...(description !== undefined && { description }),
});

function operationOf(route: ApiRoute, book: SchemaBook): Operation {
  const parameters = parametersOf(route, book);
  return {
    operationId: route.id,
    tags: [route.tag],
    ...titleOf(route),
    security: securityOf(route.access),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: { required: true, content: bodyOf(route.body, book) } }),
    responses: { ...answersOf(route, book), ...refusalsOf(route, book) },
  };
}

function parametersOf({ path, params, query }: ApiRoute, book: SchemaBook): Parameter[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): Parameter => ({
    name,
    in: 'path',
    required: true,
    schema: book.of(params?.[name] ?? Uuid, 'request'),
  }));
  if (!query) return inPath;
  const { properties = {}, required = [] } = book.of(query, 'query');
  return [
    ...inPath,
    ...Object.entries(properties).map(([name, schema]): Parameter => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema: schema === true || schema === false ? {} : schema,
    })),
  ];
}

function bodyOf(body: NonNullable<ApiRoute['body']>, book: SchemaBook): Content {
  if ('json' in body)
    return { 'application/json': { schema: book.of(body.json, 'request'), ...exampled(body.json, 'request') } };
  const fields = book.of(body.multipart, 'request');
  // OpenAPI 3.1 describes bytes by a media type, not by a format.
  const file: JsonSchema = { type: 'string', contentMediaType: 'application/octet-stream' };
  return {
    'multipart/form-data': {
      schema: {
        ...fields,
        properties: { [body.file]: file, ...fields.properties },
        required: [body.file, ...(fields.required ?? [])],
      },
    },
  };
}

function answersOf({ answers }: ApiRoute, book: SchemaBook): Record<string, Response> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]): [string, Response] => {
      const description = DONE[Number(status)] ?? 'Answer';
      if (answer === 'nothing') return [status, { description }];
      if (answer === 'bytes') return [status, { description, content: { '*/*': {} } }];
      const [type, schema] = 'events' in answer ? ['text/event-stream', answer.events] : ['application/json', answer];
      return [
        status,
        { description, content: { [type]: { schema: book.of(schema, 'answer'), ...exampled(schema, 'answer') } } },
      ];
    }),
  );
}

function refusalsOf(route: ApiRoute, book: SchemaBook): Record<string, Response> {
  const types = new Map<string, Set<string>>();
  const body = route.body && 'json' in route.body ? { 400: ['invalid_request'], 413: ['request_too_large'] } : {};
  const checked = (route.query && !route.hidesQuery) || route.body ? { 400: ['invalid_request'] } : {};
  for (const errors of [
    checked,
    body,
    route.errors ?? {},
    ACCESS_ERRORS[route.access] ?? {},
    (route.action && actionErrors(route.action)) ?? {},
    { 500: ['internal_error'], 503: ['service_unavailable'] },
  ]) {
    for (const [status, names] of Object.entries(errors))
      types.set(status, new Set([...(types.get(status) ?? []), ...names]));
  }
  return Object.fromEntries(
    [...types].map(([status, names]): [string, Response] => [
      status,
      {
        description: [...names].join(', '),
        'x-error-types': [...names],
        content: {
          'application/json': {
            schema: { allOf: [book.of(ApiError, 'answer'), { properties: { error_type: { enum: [...names] } } }] },
          },
        },
      },
    ]),
  );
}

function webhookOf({ id, tag, body, ...title }: ApiWebhook, book: SchemaBook): Operation {
  return {
    operationId: id,
    tags: [tag],
    ...titleOf(title),
    security: [],
    // The server writes it, so the schema is that of an answer.
    requestBody: {
      required: true,
      content: { 'application/json': { schema: book.of(body, 'answer'), ...exampled(body, 'answer') } },
    },
    responses: { '2XX': { description: 'Accepted; the server retries after any other answer' } },
  };
}

function socketOf(socket: NonNullable<Api['socket']>, book: SchemaBook): Operation {
  const { url, subprotocols, errors } = socket;
  const client = Object.entries(socket.client).map(([name, frame]): Frame =>
    typeof frame === 'string' ? { name } : { name, schema: book.of(frame, 'request'), ...exampled(frame, 'request') },
  );
  const server = Object.entries(socket.server).map(([name, frame]): Frame => ({
    name,
    schema: book.of(frame, 'answer'),
    ...exampled(frame, 'answer'),
  }));
  return {
    operationId: socket.id,
    tags: [socket.tag],
    ...titleOf(socket),
    // The empty entry: the key may also be in the subprotocol or the start request.
    security: [...securityOf('key'), {}],
    responses: { 101: { description: 'The socket is open' } },
    'x-websocket': { url, subprotocols, client, server, errors },
  };
}

function exampled(schema: Parameters<typeof exampleOf>[0], direction: Direction): { example?: unknown } {
  const example = exampleOf(schema, direction);
  return example === undefined ? {} : { example };
}

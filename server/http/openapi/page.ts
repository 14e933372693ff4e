import { ERROR_TYPES } from '#contract/api/errors.ts';
import { escapeHtml as text } from '../../platform/html.ts';
import { curlOf } from './curl.ts';
import type { Frame, OpenApiDocument, Operation } from './document.ts';
import { QUICKSTART } from './more-info.ts';
import { STYLE } from './page-style.ts';
import type { JsonSchema } from './schemas.ts';

/** A document of the page, and where its JSON is. `key` begins the anchors of its tags and schemas. */
export interface Chapter {
  key: string;
  href: string;
  document: OpenApiDocument;
}
type Definition = JsonSchema | boolean | undefined;

const code = (value: string): string => `<code>${text(value)}</code>`;
const json = (value: unknown): string => `<pre>${text(JSON.stringify(value, null, 2))}</pre>`;
const slug = (name: string): string => name.toLowerCase().replaceAll(/\W+/g, '-');
const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);
const ACCESS: Record<string, string> = {
  apiKey: 'Project API key',
  accessToken: 'Access token of a user',
  csrfHeader: 'CSRF token of the page',
};

/** The API reference as one page without script. Everything in it comes from the documents. */
export function referencePage(product: string, chapters: readonly Chapter[]): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · ${text(product)}</title><style>${STYLE}</style></head>
<body><a class="skip" href="#content">Skip to the reference</a>
<nav aria-label="Contents"><p><a href="#${QUICKSTART}">Quickstart</a></p>${chapters.map(contents).join('')}<p><a href="#errors">Errors</a></p></nav>
<main id="content"><h1>${text(product)} API reference</h1>
<p>Calls are JSON over HTTP unless they say otherwise. Every answer carries an id in the header ${code('x-request-id')}; a refusal repeats it in its body.</p>
${quickstart(chapters[0]?.document)}${chapters.map(chapter).join('')}${errors()}</main></body></html>`;
}

/** The first call. */
function quickstart(document: OpenApiDocument | undefined): string {
  const server = document?.servers[0]?.url ?? '';
  return `<section><h2 id="${QUICKSTART}">Quickstart</h2><p>Create an API key in the console, under API keys of a project, put it into ${code('PARLANCE_API_KEY')}, and list your files:</p><pre class="copy">${text(`curl '${server}/v1/files' \\\n  -H "Authorization: Bearer $PARLANCE_API_KEY"`)}</pre></section>`;
}

/** The anchor of a kind of error; refusals link to it. */
const anchorOf = (errorType: string): string => errorType.replaceAll('_', '-');
const errorLink = (errorType: string): string =>
  errorType in ERROR_TYPES ? `<a href="#${anchorOf(errorType)}">${text(errorType)}</a>` : text(errorType);

function errors(): string {
  const types = Object.entries(ERROR_TYPES).map(
    ([type, meaning]) => `<li id="${anchorOf(type)}"><b>${code(type)}</b> ${text(meaning)}</li>`,
  );
  return `<section><h2 id="errors">Errors</h2><ul class="fields">${types.join('')}</ul></section>`;
}

type Call = { path: string; method: string; operation: Operation };
const WEBHOOK = 'webhook';

function callsOf({ paths, webhooks = {} }: OpenApiDocument, tag: string): Call[] {
  const received = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const made = Object.values(webhooks).map(({ post }) => ({
    path: 'POST to your server',
    method: WEBHOOK,
    operation: post,
  }));
  return [...received, ...made].filter(({ operation }) => operation.tags.includes(tag));
}

function contents({ key, document }: Chapter): string {
  const tags = document.tags.map(({ name }) => {
    const calls = callsOf(document, name).map(
      ({ operation }) => `<li><a href="#${operation.operationId}">${text(operation.summary)}</a></li>`,
    );
    return `<li><a href="#${key}-${slug(name)}">${text(name)}</a><ul>${calls.join('')}</ul></li>`;
  });
  return `<p><a href="#${key}">${text(document.info.title)}</a></p><ul>${tags.join('')}<li><a href="#${key}-schemas">Schemas</a></li></ul>`;
}

function chapter({ key, href, document }: Chapter): string {
  const { info, servers, tags, components } = document;
  const server = servers[0]?.url ?? '';
  const sections = tags.map(
    ({ name }) =>
      `<section><h3 id="${key}-${slug(name)}">${text(name)}</h3>${callsOf(document, name)
        .map((call) => article(key, document, call))
        .join('')}</section>`,
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<article id="${key}-${name}"><h4><a href="#${key}-${name}">${name}</a></h4>${shape(key, schema)}</article>`,
  );
  return `<section><h2 id="${key}">${text(info.title)}</h2><p>Address ${code(server)} · <a href="${href}">OpenAPI 3.1 document</a></p>
${sections.join('')}<section><h3 id="${key}-schemas">Schemas of the ${text(info.title)}</h3>${schemas.join('')}</section></section>`;
}

function article(key: string, document: OpenApiDocument, { path, method, operation }: Call): string {
  const { operationId: id, summary, security, 'x-websocket': socket } = operation;
  const access =
    Object.keys(security[0] ?? {})
      .flatMap((scheme) => ACCESS[scheme] ?? [])
      .join('') || (method === WEBHOOK ? 'Sent by this server' : 'No credential');
  const head = `<h4><a href="#${id}">${text(summary)}</a></h4><p class="route"><span class="method">${socket ? 'WebSocket' : method === WEBHOOK ? 'Webhook' : method.toUpperCase()}</span>${code(socket ? socket.url : path)}</p><p class="faint">${access}</p>`;
  return `<article id="${id}">${head}${socket ? frames(key, document, socket) : `<div class="sides"><div>${details(key, document, operation)}</div><div>${samples(document.servers[0]?.url ?? '', path, method, operation)}</div></div>`}</article>`;
}

function details(
  key: string,
  document: OpenApiDocument,
  { parameters = [], requestBody, responses }: Operation,
): string {
  const given = parameters
    .map(({ name, schema, required, in: place }) => field(key, name, schema, required, ` in the ${place}`))
    .join('');
  const sent = Object.entries(requestBody?.content ?? {})
    .map(([type, { schema }]) => `<h5>Body, ${text(type)}</h5>${body(key, schema, document.components.schemas)}`)
    .join('');
  const answers = Object.entries(responses).map(([status, { description, content }]) => {
    const events = content?.['text/event-stream']?.schema;
    const schema = events ?? content?.['application/json']?.schema;
    const type = Number(status) < 400 && schema ? ` · ${events ? 'events, each ' : ''}${typeOf(key, schema)}` : '';
    return `<li><b>${status}</b> ${/^[123]/.test(status) ? text(description) : description.split(', ').map(errorLink).join(', ')}${type}</li>`;
  });
  return `${given && `<h5>Parameters</h5><ul class="fields">${given}</ul>`}${sent}<h5>Answers</h5><ul class="fields">${answers.join('')}</ul>`;
}

function samples(server: string, path: string, method: string, operation: Operation): string {
  if (method === WEBHOOK) return `<h5>Example</h5>${json(operation.requestBody?.content['application/json']?.example)}`;
  const answer = Object.entries(operation.responses).find(([status]) => Number(status) < 300)?.[1].content;
  const example = (answer?.['application/json'] ?? answer?.['text/event-stream'])?.example;
  return `<h5>Example</h5><pre class="copy">${text(curlOf(server, path, method, operation))}</pre>${example === undefined ? '' : `<h5>Answer</h5>${json(example)}`}`;
}

function frames(
  key: string,
  document: OpenApiDocument,
  { client, server, errors, subprotocol }: NonNullable<Operation['x-websocket']>,
): string {
  const one = ({ name, schema, example }: Frame): string =>
    `<h6>${text(name)}</h6>${schema ? `<div class="sides"><div>${body(key, schema, document.components.schemas)}</div><div>${example === undefined ? '' : json(example)}</div></div>` : ''}`;
  const codes = Object.entries(errors).map(
    ([status, types]) => `<li><b>${status}</b> ${types.map(errorLink).join(', ')}</li>`,
  );
  return `<p>The key goes into the header ${code('Authorization')}, behind the subprotocol ${code(subprotocol)}, or into the start request.</p>
<h5>From the client</h5>${client.map(one).join('')}<h5>From the server</h5>${server.map(one).join('')}<h5>Error codes</h5><ul class="fields">${codes.join('')}</ul>`;
}

type Plain = JsonSchema & { properties: Record<string, JsonSchema | boolean> };
const isPlain = (schema: Definition): schema is Plain => typeof schema === 'object' && schema.properties !== undefined;
const shape = (key: string, schema: Definition): string =>
  isPlain(schema) ? fields(key, schema) : `<p class="faint">${typeOf(key, schema)}</p>${nested(key, schema)}`;

/** A body: its name where it has one, and its fields. */
function body(key: string, schema: JsonSchema | undefined, named: OpenApiDocument['components']['schemas']): string {
  const ref = schema?.$ref;
  return ref === undefined
    ? shape(key, schema)
    : `<p class="faint">${typeOf(key, schema)}</p>${shape(key, named[nameOf(ref)])}`;
}

function fields(key: string, { properties, required = [] }: Plain): string {
  return Object.keys(properties).length === 0
    ? '<p class="faint">Empty object</p>'
    : `<ul class="fields">${Object.entries(properties)
        .map(([name, schema]) => field(key, name, schema, required.includes(name)))
        .join('')}</ul>`;
}

function field(key: string, name: string, schema: Definition, required: boolean, place = ''): string {
  const inner = nested(key, schema);
  return `<li><b>${code(name)}</b> ${typeOf(key, schema)}<span class="bounds">${place}${required ? '' : ', optional'}${bounds(schema)}</span>${inner}</li>`;
}

/** The fields of objects without a name inside a type. */
function nested(key: string, schema: Definition): string {
  if (isPlain(schema)) return fields(key, schema);
  if (typeof schema !== 'object') return '';
  const inner = Array.isArray(schema.items) ? [] : [schema.items];
  return [...inner, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
    .map((part) => nested(key, part))
    .join('');
}

/** A type in words; links where it has a name. */
function typeOf(key: string, schema: Definition): string {
  if (typeof schema !== 'object') return 'anything';
  const { $ref, const: only, enum: values, anyOf, oneOf, allOf, items, type, contentMediaType } = schema;
  if ($ref !== undefined) return `<a href="#${key}-${nameOf($ref)}">${text(nameOf($ref))}</a>`;
  if (only !== undefined) return code(JSON.stringify(only));
  if (values) return values.map((value) => code(JSON.stringify(value))).join(' or ');
  const options = anyOf ?? oneOf ?? allOf;
  if (options) return options.map((option) => typeOf(key, option)).join(allOf ? ' and ' : ' or ');
  if (type === 'array') return `array of ${Array.isArray(items) ? 'values' : typeOf(key, items)}`;
  if (contentMediaType !== undefined) return 'file';
  return text(schema.format ?? [type ?? 'anything'].flat().join(' or '));
}

function bounds(schema: Definition): string {
  if (typeof schema !== 'object') return '';
  const inner = schema.anyOf?.find((option) => typeof option === 'object' && option.type !== 'null');
  const { minimum, maximum, minLength, maxLength, maxItems } = typeof inner === 'object' ? inner : schema;
  const said = [
    minimum !== undefined && `from ${minimum}`,
    maximum !== undefined && `up to ${maximum}`,
    minLength !== undefined && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    maxItems !== undefined && `at most ${maxItems} items`,
  ];
  return said
    .filter((part) => part !== false)
    .map((part) => `, ${part}`)
    .join('');
}

/** Writes an entry for each call of an API: parameters, body, answers and an example. */
import { ERROR_TYPES } from '#contract/api/errors.ts';
import { escapeHtml as text } from '../../../platform/html.ts';
import { curlOf } from '../curl.ts';
import type { Frame, OpenApiDocument, Operation } from '../document.ts';
import { REFERENCE_PATH } from '../more-info.ts';
import { body, code, field, shape, typeOf } from './types.ts';

/** An API of the reference. `key` begins the anchors of its tags and schemas; `href` leads to its JSON. */
export interface Chapter {
  key: string;
  href: string;
  document: OpenApiDocument;
}

const json = (value: unknown): string => `<pre>${text(JSON.stringify(value, null, 2))}</pre>`;
/** Code with a button that copies it. @param name of the code, in the button's label */
export const copied = (name: string, value: string): string => `<pre data-copy="${text(name)}">${text(value)}</pre>`;
const slug = (name: string): string => name.toLowerCase().replaceAll(/\W+/g, '-');
const ACCESS: Record<string, string> = {
  apiKey: 'Needs an API key of a project',
  accessToken: 'Needs the access token of a user',
  csrfHeader: "Needs the page's CSRF token",
};

/** The anchor of an error type. */
export const anchorOf = (errorType: string): string => errorType.replaceAll('_', '-');
const errorLink = (errorType: string): string =>
  errorType in ERROR_TYPES
    ? `<a href="${REFERENCE_PATH}#${anchorOf(errorType)}">${text(errorType)}</a>`
    : text(errorType);

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

/** The table of contents of an API. */
export function contentsOf({ key, document }: Chapter): string {
  const tags = document.tags.map(({ name }) => {
    const calls = callsOf(document, name).map(
      ({ operation }) => `<li><a href="#${operation.operationId}">${text(operation.summary)}</a></li>`,
    );
    return `<li><a href="#${key}-${slug(name)}">${text(name)}</a><ul>${calls.join('')}</ul></li>`;
  });
  return `${tags.join('')}<li><a href="#${key}-schemas">Schemas</a></li>`;
}

/** The entries of an API by tag, then its schemas. */
export function entriesOf({ key, document }: Chapter): string {
  const sections = document.tags.map(
    ({ name }) =>
      `<section><h2 id="${key}-${slug(name)}">${text(name)}</h2>${callsOf(document, name)
        .map((call) => entry(key, document, call))
        .join('')}</section>`,
  );
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `<article class="entry" id="${key}-${name}"><h3><a href="#${key}-${name}">${name}</a></h3>${shape(key, schema)}</article>`,
  );
  return `${sections.join('')}<section><h2 id="${key}-schemas">Schemas</h2>${schemas.join('')}</section>`;
}

function entry(key: string, document: OpenApiDocument, { path, method, operation }: Call): string {
  const { operationId: id, summary, description = '', security, 'x-websocket': socket } = operation;
  const access =
    Object.keys(security[0] ?? {})
      .flatMap((scheme) => ACCESS[scheme] ?? [])
      .join('') || (method === WEBHOOK ? 'Sent by this server' : 'Needs no credential');
  const kind = socket ? 'WebSocket' : method === WEBHOOK ? 'Webhook' : method.toUpperCase();
  const head = `<h3><a href="#${id}">${text(summary)}</a></h3><p class="route"><span class="method">${kind}</span>${code(socket ? socket.url : path)}</p><p class="access">${access}</p>${description && `<p>${text(description)}</p>`}`;
  return `<article class="entry" id="${id}">${head}${socket ? frames(key, document, socket) : `<div class="sides"><div>${details(key, document, operation)}</div><div>${samples(document.servers[0]?.url ?? '', path, method, operation)}</div></div>`}</article>`;
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
    .map(([type, { schema }]) => `<h4>Body, ${text(type)}</h4>${body(key, schema, document.components.schemas)}`)
    .join('');
  const answers = Object.entries(responses).map(([status, { description, content }]) => {
    const events = content?.['text/event-stream']?.schema;
    const schema = events ?? content?.['application/json']?.schema;
    const type = Number(status) < 400 && schema ? ` · ${events ? 'events, each ' : ''}${typeOf(key, schema)}` : '';
    return `<li><b>${status}</b> ${/^[123]/.test(status) ? text(description) : description.split(', ').map(errorLink).join(', ')}${type}</li>`;
  });
  return `${given && `<h4>Parameters</h4><ul class="fields">${given}</ul>`}${sent}<h4>Answers</h4><ul class="fields">${answers.join('')}</ul>`;
}

function samples(server: string, path: string, method: string, operation: Operation): string {
  if (method === WEBHOOK) return `<h4>Example</h4>${json(operation.requestBody?.content['application/json']?.example)}`;
  const answer = Object.entries(operation.responses).find(([status]) => Number(status) < 300)?.[1].content;
  const example = (answer?.['application/json'] ?? answer?.['text/event-stream'])?.example;
  return `<h4>Example</h4>${copied(`the call: ${operation.summary}`, curlOf(server, path, method, operation))}${example === undefined ? '' : `<h4>Answer</h4>${json(example)}`}`;
}

function frames(
  key: string,
  document: OpenApiDocument,
  { client, server, errors, subprotocols }: NonNullable<Operation['x-websocket']>,
): string {
  const [own = '', ...others] = subprotocols;
  const one = ({ name, schema, example }: Frame): string =>
    `<h4>${text(name)}</h4>${schema ? `<div class="sides"><div>${body(key, schema, document.components.schemas)}</div><div>${example === undefined ? '' : json(example)}</div></div>` : ''}`;
  const codes = Object.entries(errors).map(
    ([status, types]) => `<li><b>${status}</b> ${types.map(errorLink).join(', ')}</li>`,
  );
  return `<p>Send the key in one of three places: the header ${code('Authorization')}, the subprotocol after ${code(own)} (or ${others.map(code).join(', ')}), or ${code('api_key')} in the start request.</p>
<h4>You send</h4>${client.map(one).join('')}<h4>The server sends</h4>${server.map(one).join('')}<h4>Error codes</h4><ul class="fields">${codes.join('')}</ul>`;
}

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
  const sections = document.tags.map(({ name }) => {
    const entries = callsOf(document, name).map((call) => entry(key, document, call));
    return section(`${key}-${slug(name)}`, name, entries);
  });
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) =>
    article(`${key}-${name}`, name, shape(key, schema)),
  );
  return `${sections.join('')}${section(`${key}-schemas`, 'Schemas', schemas)}`;
}

const section = (id: string, title: string, articles: readonly string[]): string =>
  `<section><h2 id="${id}">${text(title)}</h2>${articles.join('')}</section>`;
const article = (id: string, title: string, content: string): string =>
  `<article class="entry" id="${id}"><h3><a href="#${id}">${text(title)}</a></h3>${content}</article>`;
const sides = (left: string, right: string): string => `<div class="sides"><div>${left}</div><div>${right}</div></div>`;

function entry(key: string, document: OpenApiDocument, call: Call): string {
  const { operationId, summary, description = '', 'x-websocket': socket } = call.operation;
  const route = `<p class="route"><span class="method">${kindOf(call)}</span>${code(socket?.url ?? call.path)}</p>`;
  const access = `<p class="access">${accessOf(call)}</p>`;
  const about = description && `<p>${text(description)}</p>`;
  const details = socket
    ? frames(key, document, socket)
    : sides(fieldsOf(key, document, call.operation), samples(document.servers[0]?.url ?? '', call));
  return article(operationId, summary, `${route}${access}${about}${details}`);
}

function kindOf({ method, operation }: Call): string {
  if (operation['x-websocket']) return 'WebSocket';
  return method === WEBHOOK ? 'Webhook' : method.toUpperCase();
}

function accessOf({ method, operation: { security } }: Call): string {
  const needs = Object.keys(security[0] ?? {}).flatMap((scheme) => ACCESS[scheme] ?? []);
  if (needs.length > 0) return needs.join('');
  return method === WEBHOOK ? 'Sent by this server' : 'Needs no credential';
}

/** The parameters, the body and the answers of a call. */
function fieldsOf(
  key: string,
  document: OpenApiDocument,
  { parameters = [], requestBody, responses }: Operation,
): string {
  const given = parameters
    .map(({ name, schema, required, description, in: place }) =>
      field(key, name, schema, required, { place: ` in the ${place}`, about: description }),
    )
    .join('');
  const sent = Object.entries(requestBody?.content ?? {})
    .map(([type, { schema }]) => `<h4>Body, ${text(type)}</h4>${body(key, schema, document.components.schemas)}`)
    .join('');
  const answers = Object.entries(responses).map(([status, response]) => answer(key, status, response));
  return [
    given && `<h4>Parameters</h4><ul class="fields">${given}</ul>`,
    sent,
    `<h4>Answers</h4><ul class="fields">${answers.join('')}</ul>`,
  ].join('');
}

function answer(key: string, status: string, response: Operation['responses'][string]): string {
  const { description, content, 'x-error-types': errorTypes } = response;
  if (errorTypes) return `<li><b>${status}</b> ${errorTypes.map(errorLink).join(', ')}</li>`;
  const events = content?.['text/event-stream']?.schema;
  const schema = events ?? content?.['application/json']?.schema;
  const type = schema ? ` · ${events ? 'events, each ' : ''}${typeOf(key, schema)}` : '';
  return `<li><b>${status}</b> ${text(description)}${type}</li>`;
}

/** An example of a call and its answer; of a webhook, its body. */
function samples(server: string, { path, method, operation }: Call): string {
  if (method === WEBHOOK) return `<h4>Example</h4>${json(operation.requestBody?.content['application/json']?.example)}`;
  const sent = copied(`the call: ${operation.summary}`, curlOf(server, path, method, operation));
  const content = Object.entries(operation.responses).find(([status]) => Number(status) < 300)?.[1].content;
  const example = (content?.['application/json'] ?? content?.['text/event-stream'])?.example;
  return `<h4>Example</h4>${sent}${example === undefined ? '' : `<h4>Answer</h4>${json(example)}`}`;
}

/** How to authenticate at a WebSocket, the frames of both sides, and the error codes. */
function frames(
  key: string,
  document: OpenApiDocument,
  { client, server, errors, subprotocols }: NonNullable<Operation['x-websocket']>,
): string {
  const [own = '', ...others] = subprotocols;
  const frame = ({ name, schema, example }: Frame): string => {
    const title = `<h4>${text(name)}</h4>`;
    if (!schema) return title;
    const sample = example === undefined ? '' : json(example);
    return `${title}${sides(body(key, schema, document.components.schemas), sample)}`;
  };
  const codes = Object.entries(errors).map(
    ([status, types]) => `<li><b>${status}</b> ${types.map(errorLink).join(', ')}</li>`,
  );
  return `<p>Send the key in one of three places: the header ${code('Authorization')},
the subprotocol after ${code(own)} (or ${others.map(code).join(', ')}),
or ${code('api_key')} in the start request.</p>
<h4>You send</h4>${client.map(frame).join('')}
<h4>The server sends</h4>${server.map(frame).join('')}
<h4>Error codes</h4><ul class="fields">${codes.join('')}</ul>`;
}

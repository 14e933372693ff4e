/** The guide at the start of the API reference: first call, authentication, webhooks, limits, errors (DOC-01). */
import * as v from 'valibot';
import { ERROR_TYPES } from '#contract/api/errors.ts';
import { CANCELLED_TYPE, TRANSCRIPTION_ERRORS } from '#contract/transcriptions.ts';
import { escapeHtml as text } from '../../../platform/html.ts';
import type { OpenApiDocument } from '../document.ts';
import { QUICKSTART } from '../more-info.ts';
import { anchorOf, copied } from './entries.ts';
import { code } from './types.ts';

/** A limit of this server, in words. */
export interface Limit {
  what: string;
  limit: string;
}

/** The parts of the guide, by their anchors. */
export const GUIDE = [
  [QUICKSTART, 'Quickstart'],
  ['authentication', 'Authentication'],
  ['webhooks', 'Webhooks'],
  ['limits', 'Limits'],
  ['errors', 'Errors'],
] as const;

const KEY = 'PARLANCE_API_KEY';

const Named = v.object({ model: v.string() });

/** Writes the guide. Takes the address and an example's model from the API's document. */
export function guide(document: OpenApiDocument, limits: readonly Limit[]): string {
  const { servers, paths } = document;
  const { model } = v.parse(
    Named,
    paths['/v1/transcriptions']?.['post']?.requestBody?.content['application/json']?.example,
  );
  return `${quickstart(servers[0]?.url ?? '', model)}${authentication()}${webhooks()}${limitTable(limits)}${errors(document)}`;
}

/** The `error_type` values of all calls and of the socket. */
const errorTypesOf = ({ paths }: OpenApiDocument): readonly string[] =>
  Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ responses, 'x-websocket': socket }) => [
      ...Object.values(responses).flatMap((response) => response['x-error-types'] ?? []),
      ...Object.values(socket?.errors ?? {}).flat(),
    ]);

/** What any call of the speech API may get, beside its own. */
const OF_EVERY_ADDRESS = ['method_not_allowed', 'project_not_found', 'unknown_host'] as const;

/** A curl command with the key, over several lines. @param options further ones */
const curl = (url: string, ...options: readonly string[]): string =>
  [`curl '${url}'`, `-H "Authorization: Bearer $${KEY}"`, ...options].join(' \\\n  ');

function quickstart(server: string, model: string): string {
  const list = curl(`${server}/v1/files`);
  const upload = curl(`${server}/v1/files`, "-F 'file=@recording.wav'");
  const create = curl(
    `${server}/v1/transcriptions`,
    "-H 'Content-Type: application/json'",
    `-d '{"model": "${model}", "file_id": "FILE_ID"}'`,
  );
  const read = curl(`${server}/v1/transcriptions/TRANSCRIPTION_ID/transcript`);
  return `<section><h2 id="${QUICKSTART}">Quickstart</h2>
<p>Create a key in the console, under API keys of a project, and put it into ${code(KEY)}.
This lists the files of the project:</p>
${copied('the first call', list)}
<p>A recording becomes text in three calls. Upload it:</p>
${copied('the upload', upload)}
<p>Start a transcription with the id in the answer:</p>
${copied('the start of a transcription', create)}
<p>Once its status is ${code('completed')}, read the words:</p>
${copied('the reading of a transcript', read)}
<p>To transcribe while somebody speaks, open a <a href="#transcribeLive">WebSocket</a>.</p></section>`;
}

function authentication(): string {
  return `<section><h2 id="authentication">Authentication</h2>
<p>Send an API key of a project with each call, in the header ${code('Authorization: Bearer')}. Everything
that a call creates belongs to that project, and the key sees no other project. Create and revoke keys in the
console; a revoked key stops working at once.</p>
<p>Never ship a key in a page or an app: let your server <a href="#createTemporaryKey">create a short-lived
key</a>, which can only open a live session.</p></section>`;
}

/** Shell code that checks a webhook, and exits with 1 if its signature is wrong. */
export const CHECK_IN_SHELL = `KEY=$(printf '%s' "\${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
SIGNED="v1,$(printf '%s.%s.%s' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP" "$BODY" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)"
case " $WEBHOOK_SIGNATURE " in *" $SIGNED "*) ;; *) exit 1 ;; esac`;

function webhooks(): string {
  return `<section><h2 id="webhooks">Webhooks</h2>
<p>When a transcription with a ${code('webhook_url')} ends, this server <a href="#transcriptionEnded">calls
that URL</a>. Answer with a status of 2xx within 10 seconds; otherwise the server tries again, eight tries
in all over about a day. It does not follow redirects. The same webhook may come twice, with the same
${code('webhook-id')}.</p>
<p>The URL has to lead to the public internet. Private, loopback, link-local and other special addresses are
forbidden, except in networks that the operator of this server allows. A URL with a forbidden IP address is refused
with ${code('400')}; a name that leads to one fails without another try.</p>
<p>The server signs each webhook with the signing secret of the project, as the
<a href="https://www.standardwebhooks.com/">Standard Webhooks</a> specification says, so you can use its
libraries to check it. An owner or admin of the organization can see the secret once in the console, under
Webhooks of the project (${code('POST /api/v2/projects/{project}/webhooks/secret/show/')}), and roll it
(${code('…/secret/roll/')}); for 24 hours after that both secrets sign. ${code('webhook-signature')} holds
signatures, separated by spaces: accept the webhook if any of them matches. To check it yourself, use the raw
body, before parsing:</p>${copied('the check of a webhook', CHECK_IN_SHELL)}
<p>Refuse a ${code('webhook-timestamp')} (seconds since 1970) that is more than five minutes off, and compare
signatures in constant time if your language can.</p></section>`;
}

function limitTable(limits: readonly Limit[]): string {
  const rows = limits.map(({ what, limit }) => `<tr><th scope="row">${text(what)}</th><td>${text(limit)}</td></tr>`);
  return `<section><h2 id="limits">Limits</h2><p>These are the limits of this server, for each project unless a row
says otherwise. A call over a limit gets ${code('429')} and <a href="#limit-exceeded">limit_exceeded</a>; if
waiting helps, the header ${code('Retry-After')} says how many seconds.</p>
<table><thead><tr><th scope="col">What</th><th scope="col">At most</th></tr></thead>
<tbody>${rows.join('')}</tbody></table></section>`;
}

/** The kinds of errors: those of the speech API, then those that only the console's own API answers with. */
function errors(document: OpenApiDocument): string {
  const example = {
    status_code: 404,
    error_type: 'file_not_found',
    message: 'There is no such file in this project.',
    validation_errors: [],
    request_id: 'f6a1c1d2-5f0e-4a4f-9a39-0e6f0f3d7c11',
  };
  const used = new Set([...errorTypesOf(document), ...TRANSCRIPTION_ERRORS, CANCELLED_TYPE, ...OF_EVERY_ADDRESS]);
  const list = (isOwn: boolean): string =>
    `<ul class="fields">${Object.entries(ERROR_TYPES)
      .filter(([type]) => used.has(type) === isOwn)
      .map(([type, meaning]) => `<li id="${anchorOf(type)}"><b>${code(type)}</b> ${text(meaning)}</li>`)
      .join('')}</ul>`;
  return `<section><h2 id="errors">Errors</h2>
<p>An error has a status of 400 or above, and its body gives the reason. Decide by ${code('error_type')},
because messages may change. Every answer has its id in the header ${code('x-request-id')}; send it to
support.</p><pre>${text(JSON.stringify(example, null, 2))}</pre>
<h3>Kinds of errors</h3>${list(true)}
<h3>Kinds of errors of the console API alone</h3>${list(false)}</section>`;
}

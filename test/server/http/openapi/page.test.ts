import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_TYPES } from '#contract/api/errors.ts';
import { CANCELLED_TYPE, TRANSCRIPTION_ERRORS } from '#contract/transcriptions.ts';
import { MAIN_API } from '#contract/api/main.ts';
import { LIVE_SOCKET } from '#contract/api/live.ts';
import { SPEECH_API, SPEECH_WEBHOOKS } from '#contract/api/speech.ts';
import { ApiError } from '#contract/errors.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { startTestServer, type TestServer } from '../../harness.ts';

const NASTY = `Acme <b>&"'`;
/** What the names of calls may begin with. */
const VERBS =
  'Add Ask Begin Cancel Change Check Count Create Delete Download Exchange Get Give Invite Join Keep List Remove Revoke Roll Send Set Show Sign Stream Update Upload Withdraw'.split(
    ' ',
  );
/** What the page has of a call. */
const articleOf = (page: string, id: string): string =>
  new RegExp(`<article class="entry" id="${id}">(.*?)</article>`, 's').exec(page)?.[1] ?? '';
let server: TestServer;
/** The page of the speech API, that of the console's, and both. */
let [html, main, both] = ['', '', ''];
let answer: Response;
let webRoot: string;
beforeAll(async () => {
  webRoot = await mkdtemp(join(tmpdir(), 'parlance-web-'));
  await writeFile(join(webRoot, 'index.html'), '<!doctype html><title>Console</title><!--app-shell-->');
  await writeFile(
    join(webRoot, 'document.html'),
    '<!doctype html><title><!--title--></title><!--theme--><body><!--content--><script type="module" src="/assets/document.js"></script></body>',
  );
  server = await startTestServer({ env: { PRODUCT_NAME: NASTY }, overrides: { webRoot } });
  answer = await fetch(`${server.url}/api/docs/`);
  html = await answer.text();
  main = await (await fetch(`${server.url}/api/docs/console/`)).text();
  both = html + main;
});
afterAll(async () => {
  await server.close();
  await rm(webRoot, { recursive: true });
});

describe('the API reference', () => {
  it('DOC-03: is a page that runs and wears nothing but files of this server', () => {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    for (const [script] of both.matchAll(/<script[^>]*>[^<]*<\/script>/g))
      expect(script).toMatch(/^<script (type="module" )?src="\/[^"]+"[^>]*><\/script>$/);
    expect(both).not.toMatch(/<style|\sstyle=|\son\w+=/);
  });

  it('bears the name of the product, as text', () => {
    expect(html).toContain('<h1 id="guide">Acme &lt;b&gt;&amp;&quot;&#39; API reference</h1>');
    expect(html).toContain('<title>API reference · Acme &lt;b&gt;&amp;&quot;&#39;</title>');
    expect(both).not.toContain('<b>&');
  });

  it('has every call once, with its path and a call to copy at the public address', () => {
    for (const [{ id, path }, page] of [
      ...MAIN_API.map((route) => [route, main] as const),
      ...SPEECH_API.map((route) => [route, html] as const),
    ]) {
      const article = articleOf(page, id);
      expect(article).toContain(`<code>${path}</code>`);
      expect(article).toMatch(/<pre data-copy="the call: [^"]+">curl /);
      expect(article).toContain(server.url);
      expect(article).not.toMatch(/undefined|\[object/);
    }
    for (const { id } of SPEECH_WEBHOOKS) {
      const article = articleOf(html, id);
      expect(article).toContain('<span class="method">Webhook</span>');
      expect(article).toContain('<p class="access">Sent by this server</p>');
    }
    expect(html).toContain(`<article class="entry" id="${LIVE_SOCKET.id}">`);
    expect(html).toContain(`<code>${server.url.replace('http', 'ws')}${LIVE_SOCKET.path}</code>`);
  });

  it('its links within a page lead somewhere, and no anchor stands twice', () => {
    const anchors = (page: string) => [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    for (const [page, calls] of [
      [html, SPEECH_API],
      [main, MAIN_API],
    ] as const) {
      const ids = anchors(page);
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
      const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
      expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
      expect(targets.length).toBeGreaterThan(calls.length);
    }
    const away = [...both.matchAll(/href="\/api\/docs#([^"]+)"/g)].map(([, id]) => id);
    expect(away.filter((id) => !anchors(html).includes(id))).toEqual([]);
  });

  it('DOC-01: names each call by what it does', () => {
    const verbs = new Set([...MAIN_API, ...SPEECH_API].map(({ summary }) => /^\w+/.exec(summary)?.[0] ?? summary));
    expect([...verbs].toSorted((a, b) => a.localeCompare(b))).toEqual(VERBS);
  });

  it('DOC-01: begins with calls at its own address, the key, the limits as they are here, and errors', () => {
    const section = (id: string) =>
      new RegExp(`<section><h2 id="${id}">(.*?)</section>`, 's').exec(html)?.[1]?.replaceAll('&#39;', "'") ?? '';
    expect(section('quickstart')).toContain(`curl '${server.url}/v1/files' \\\n`);
    expect(section('authentication')).toContain('<code>Authorization: Bearer</code>');
    expect(section('limits')).toContain('Retry-After');
    expect(section('errors')).toContain('<code>error_type</code>');
  });

  it('calls quote what a shell would read otherwise', () => {
    expect(articleOf(html, 'createTranscription')).toContain(
      `-H &#39;Authorization: Bearer YOUR_API_KEY&#39; \\\n  -H &#39;Content-Type: application/json&#39; \\\n  -d &#39;{&quot;model&quot;:`,
    );
    expect(articleOf(html, 'downloadFile')).toContain('/v1/files/ID/download?token=TOKEN&#39;');
  });

  it('says what every kind of error means, where refusals lead to', async () => {
    const { more_info } = v.parse(ApiError, await (await fetch(`${server.url}/api/v2/nothing/`)).json());
    expect(more_info).toBe(`${server.url}/api/docs#not-found`);
    const served = new Set<string>([
      ...[LIVE_SOCKET, ...MAIN_API, ...SPEECH_API].flatMap(({ errors = {} }) => Object.values(errors).flat()),
      // What failed has a link to here from the logs and the playground.
      ...TRANSCRIPTION_ERRORS,
      CANCELLED_TYPE,
    ]);
    for (const file of readdirSync(join(projectRoot, 'server'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )) {
      for (const [, type = ''] of readFileSync(join(projectRoot, 'server', file), 'utf8').matchAll(
        /new (?:Live)?Refusal\(\s*'\w+',\s*'(\w+)'/g,
      ))
        served.add(type);
    }
    const failing = readdirSync(join(projectRoot, 'server/speech-api/transcriptions'))
      .map((file) => readFileSync(join(projectRoot, 'server/speech-api/transcriptions', file), 'utf8'))
      .flatMap((text) => [...text.matchAll(/\btype: '(\w+)',\s+message/g)].map(([, type = '']) => type));
    expect(failing.length).toBeGreaterThan(3);
    for (const type of failing) expect(TRANSCRIPTION_ERRORS).toContain(type);
    expect(Object.keys(ERROR_TYPES)).toEqual([...served].toSorted((a, b) => a.localeCompare(b)));
    for (const type of served)
      expect(html).toContain(`<li id="${type.replaceAll('_', '-')}"><b><code>${type}</code></b> `);
  });

  it('leads to its documents', async () => {
    const links = [...both.matchAll(/href="([^"#]+\.json)"/g)].map(([, path = '']) => path);
    expect(links).toEqual(['/api/docs/openapi/speech.json', '/api/docs/openapi/main.json']);
    for (const link of links) {
      const document = await fetch(server.url + link);
      expect([document.status, document.headers.get('content-type')]).toEqual([200, 'application/json']);
      expect(await document.json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: server.url }] });
    }
    expect((await fetch(`${server.url}/api/docs/openapi/other.json`)).status).toBe(404);
  });
});

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_TYPES } from '#contract/api/errors.ts';
import { MAIN_API } from '#contract/api/main.ts';
import { LIVE_SOCKET, SPEECH_API } from '#contract/api/speech.ts';
import { ApiError } from '#contract/errors.ts';
import { PageSettings } from '#contract/settings.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { startTestServer, type TestServer } from '../harness.ts';

const NASTY = `Acme <b>&"'`;
let server: TestServer;
let html: string;
let answer: Response;
let webRoot: string;
beforeAll(async () => {
  webRoot = await mkdtemp(join(tmpdir(), 'parlance-web-'));
  await writeFile(join(webRoot, 'index.html'), '<!doctype html><title>Console</title><!--app-shell-->');
  server = await startTestServer({ env: { PRODUCT_NAME: NASTY }, overrides: { webRoot } });
  answer = await fetch(`${server.url}/api/docs/`);
  html = await answer.text();
});
afterAll(async () => {
  await server.close();
  await rm(webRoot, { recursive: true });
});

describe('the API reference', () => {
  it('is a page without script whose policy lets in its own style only', () => {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
    const [, style = ''] = /<style>([^<]*)<\/style>/.exec(html) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(answer.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(html).not.toMatch(/<script|<img|\sstyle=|\son\w+=/);
  });

  it('bears the name of the product, as text', () => {
    expect(html).toContain('<h1>Acme &lt;b&gt;&amp;&quot;&#39; API reference</h1>');
    expect(html).not.toContain('<b>&');
  });

  it('has every call once, with its path and a call to copy at the public address', () => {
    for (const { id, path } of [...MAIN_API, ...SPEECH_API]) {
      const [, article = ''] = new RegExp(`<article id="${id}">(.*?)</article>`, 's').exec(html) ?? [];
      expect(article).toContain(`<code>${path}</code>`);
      expect(article).toContain('<pre class="copy">curl ');
      expect(article).toContain(server.url);
      expect(article).not.toMatch(/undefined|\[object/);
    }
    expect(html).toContain(`<article id="${LIVE_SOCKET.id}">`);
    expect(html).toContain(`<code>${server.url.replace('http', 'ws')}${LIVE_SOCKET.path}</code>`);
  });

  it('its links within the page lead somewhere, and no anchor stands twice', () => {
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const targets = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
    expect(targets.length).toBeGreaterThan(MAIN_API.length + SPEECH_API.length);
  });

  it('calls quote what a shell would read otherwise', () => {
    const [, article = ''] = /<article id="createTranscription">(.*?)<\/article>/s.exec(html) ?? [];
    expect(article).toContain(
      `-H &#39;Authorization: Bearer YOUR_API_KEY&#39; \\\n  -H &#39;Content-Type: application/json&#39; \\\n  -d &#39;{&quot;model&quot;:`,
    );
    const [, download = ''] = /<article id="downloadFile">(.*?)<\/article>/s.exec(html) ?? [];
    expect(download).toContain('/v1/files/ID/download?token=TOKEN&#39;');
  });

  it('says what every kind of error means, where refusals lead to', async () => {
    const { more_info } = v.parse(ApiError, await (await fetch(`${server.url}/api/v2/nothing/`)).json());
    expect(more_info).toBe(`${server.url}/api/docs#not-found`);
    const served = new Set(
      [LIVE_SOCKET, ...MAIN_API, ...SPEECH_API].flatMap(({ errors = {} }) => Object.values(errors).flat()),
    );
    for (const file of readdirSync(join(projectRoot, 'server'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )) {
      for (const [, type = ''] of readFileSync(join(projectRoot, 'server', file), 'utf8').matchAll(
        /new (?:ApiProblem|LiveRefusal)\(\d+, '(\w+)'/g,
      ))
        served.add(type);
    }
    expect(Object.keys(ERROR_TYPES)).toEqual([...served].toSorted((a, b) => a.localeCompare(b)));
    for (const type of served)
      expect(html).toContain(`<li id="${type.replaceAll('_', '-')}"><b><code>${type}</code></b> `);
  });

  it('leads to its documents', async () => {
    const links = [...html.matchAll(/href="(\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(links).toEqual(['/api/docs/openapi/speech.json', '/api/docs/openapi/main.json']);
    for (const link of links) {
      const document = await fetch(server.url + link);
      expect([document.status, document.headers.get('content-type')]).toEqual([200, 'application/json']);
      expect(await document.json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: server.url }] });
    }
    expect((await fetch(`${server.url}/api/docs/openapi/other.json`)).status).toBe(404);
  });
});

describe("the console's link to the API reference", { timeout: 60_000 }, () => {
  const linkOf = async (of: TestServer): Promise<string> => {
    const page = await (await fetch(`${of.url}/`, { headers: { accept: 'text/html' } })).text();
    const [, json = ''] = /<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(page) ?? [];
    return v.parse(PageSettings, JSON.parse(json)).links.apiReference;
  };

  it('is this page unless a setting says another', async () => {
    expect(await linkOf(server)).toBe(`${server.url}/api/docs`);
    const other = await startTestServer({
      env: { API_REFERENCE_URL: 'https://docs.example.com/api' },
      overrides: { webRoot },
    });
    try {
      expect(await linkOf(other)).toBe('https://docs.example.com/api');
    } finally {
      await other.close();
    }
  });
});

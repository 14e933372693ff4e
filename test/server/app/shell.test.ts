import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { CSRF_COOKIE } from '#contract/session.ts';
import { PageSettings } from '#contract/settings.ts';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { outboxLink } from '#server/app/outbox-page.ts';
import { DEFAULT_PRICES } from '#server/platform/prices.ts';
import { grantStartingCredits } from '#server/money/ledger/credits.ts';
import { storePrices } from '#server/money/usage/price-lists.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { rawRequest } from '../raw-request.ts';

const PAGE = (title: string): string =>
  `<!doctype html><title>${title}</title><body><!--app-shell--><script type="module" nonce="__CSP_NONCE__" src="/assets/main-1.js"></script></body>`;
const NASTY = '</script><script>alert(1)</script><!-- $& $1';

async function webRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'parlance-web-'));
  await mkdir(join(root, 'assets'));
  await mkdir(join(root, '.vite'));
  await writeFile(join(root, 'index.html'), PAGE('Console'));
  await writeFile(join(root, 'inspector.html'), PAGE('Inspector'));
  await writeFile(join(root, 'icon.svg'), '<svg/>');
  await writeFile(join(root, '.vite', 'manifest.txt'), 'hidden');
  await writeFile(join(root, 'assets', 'main-1.js'), 'console.log(1)');
  await writeFile(join(root, 'assets', 'main-1.js.gz'), gzipSync('console.log(1)'));
  await writeFile(join(root, 'assets', 'main-1.js.br'), 'as if brotli');
  await writeFile(join(root, 'assets', 'inter.woff2'), 'font');
  await writeFile(join(root, 'assets', 'engine.wasm'), 'wasm');
  return root;
}

describe('shell', () => {
  let server: TestServer;
  let root: string;
  beforeAll(async () => {
    root = await webRoot();
    server = await startTestServer({
      env: { PRODUCT: 'parlance', PRODUCT_NAME: NASTY, STREAMING_URL: 'wss://rt.example.com/socket' },
      overrides: { webRoot: root },
    });
  });
  afterAll(async () => {
    await server.close();
    await rm(root, { recursive: true });
  });

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(server.url + path, { headers: { accept: 'text/html,*/*;q=0.8', ...headers } });
  const nonceOf = (answer: Response): string | undefined =>
    /'nonce-([^']+)'/.exec(answer.headers.get('content-security-policy') ?? '')?.[1];

  it.each([
    '/',
    '/signin/',
    '/signup/some.token.js2/',
    '/org/1/projects/2/playground/speech-to-text/new/3?mode=async',
    '/user',
  ])('serves the page under %s, fresh each time', async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=UTF-8',
      'no-store',
    ]);
    expect(await answer.text()).toContain('<title>Console</title>');
  });

  it('serves the inspector under its own address', async () => {
    expect(await (await get('/inspector')).text()).toContain('<title>Inspector</title>');
  });

  it("lets pages speak with windows that they open, and with no others; programs' answers not even with these", async () => {
    for (const path of ['/', '/inspector', '/signin/'])
      expect((await get(path)).headers.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups');
    for (const path of ['/healthz', '/api/v2/user/'])
      expect((await get(path)).headers.get('cross-origin-opener-policy')).toBe('same-origin');
    for (const path of ['/', '/healthz'])
      expect((await get(path)).headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it('allows only scripts and styles that carry the nonce of this answer', async () => {
    const [first, second] = [await get('/'), await get('/')];
    const nonce = nonceOf(first);
    expect(nonce).toMatch(/^[A-Za-z0-9+/]{22}==$/);
    expect(nonceOf(second)).not.toBe(nonce);
    const html = await first.text();
    expect(html).not.toContain('__CSP_NONCE__');
    for (const [tag] of html.matchAll(/<script[^>]*>/g)) expect(tag).toContain(`nonce="${nonce}"`);
    const policy = first.headers.get('content-security-policy') ?? '';
    expect(policy).not.toContain('unsafe');
    const host = new URL(server.url).host;
    for (const part of [
      "default-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "form-action 'self'",
      "media-src 'self' blob:",
      `connect-src 'self' ws://${host} wss://rt.example.com`,
      "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    ]) {
      expect(policy).toContain(part);
    }
  });

  it('SES-02: the hidden element and the cookie carry one token, which stays', async () => {
    const first = await get('/');
    const cookie = first.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^csrftoken=[\w-]{43}; Max-Age=\d+; Path=\/; SameSite=Lax$/);
    const token = /csrftoken=([\w-]+)/.exec(cookie)?.[1] ?? '';
    expect(await first.text()).toContain(`<input type="hidden" name="csrfmiddlewaretoken" value="${token}">`);
    const again = await get('/signin/', { cookie: `${CSRF_COOKIE}=${token}` });
    expect(again.headers.get('set-cookie')).toBeNull();
    expect(await again.text()).toContain(`value="${token}"`);
    const forged = await get('/', { cookie: `${CSRF_COOKIE}="><script>` });
    expect(forged.headers.get('set-cookie')).toMatch(/^csrftoken=[\w-]{43};/);
  });

  it('EST-03: tells the page its settings, whatever characters they hold, and the prices that hold; nothing secret', async () => {
    const html = await (await get('/')).text();
    const json = /<script type="application\/json" id="settings" nonce="[^"]+">(.*?)<\/script>/.exec(html)?.[1] ?? '';
    expect(v.parse(PageSettings, JSON.parse(json))).toMatchObject({
      product: 'parlance',
      productName: NASTY,
      payments: 'test',
      startingCredit: true,
      singleSignOn: false,
      speechBaseUrl: '',
      streamingUrl: 'wss://rt.example.com/socket',
      links: { apiReference: `${server.url}/api/docs` },
    });
    expect(v.parse(PageSettings, JSON.parse(json)).prices).toEqual({ async: 100_000, live: 120_000 });
    expect(html).not.toContain('<script>alert');
    expect(html).not.toMatch(/secret|password|dataDir|databaseUrl|smtp/i);
  });

  it('EST-03 LED-05: tells the prices and the starting credit that another server has written, too', async () => {
    const { db, clock } = server.services;
    await storePrices(db, new Map(), clock);
    await grantStartingCredits(db, 0, clock());
    try {
      const html = await (await get('/')).text();
      expect(html).toContain('"prices":{}');
      expect(html).toContain('"startingCredit":false');
    } finally {
      await storePrices(db, DEFAULT_PRICES, clock);
      await grantStartingCredits(db, 1, clock());
    }
  });

  it.each([
    ['main-1.js', 'text/javascript; charset=utf-8'],
    ['inter.woff2', 'font/woff2'],
    ['engine.wasm', 'application/wasm'],
  ])('serves %s for good', async (name, type) => {
    const answer = await get(`/assets/${name}`, { 'accept-encoding': 'identity' });
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      type,
      'public, max-age=31536000, immutable',
    ]);
  });

  it('picks the compressed file that the browser takes', async () => {
    const gzip = await get('/assets/main-1.js', { 'accept-encoding': 'gzip, br;q=0' });
    expect([gzip.headers.get('content-encoding'), gzip.headers.get('vary'), await gzip.text()]).toEqual([
      'gzip',
      'accept-encoding',
      'console.log(1)',
    ]);
    const brotli = await fetch(`${server.url}/assets/main-1.js`, {
      method: 'HEAD',
      headers: { 'accept-encoding': 'gzip, deflate, br' },
    });
    expect([brotli.headers.get('content-encoding'), brotli.headers.get('content-length')]).toEqual([
      'br',
      String('as if brotli'.length),
    ]);
    const plain = await get('/assets/main-1.js', { 'accept-encoding': 'identity' });
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, 'console.log(1)']);
  });

  it.each([
    '/assets/gone-2.js',
    '/assets/',
    '/assets/main-1.js.gz',
    '/gone.svg',
    '/.vite/manifest.txt',
    '/assets/..%2f..%2f..%2fetc%2fpasswd.txt',
    '/api/v2/user/nothing/',
    '/v1/nothing',
  ])('answers %s with a 404, not with the page', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it('serves other files of the build for a short time', async () => {
    const answer = await get('/icon.svg');
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'image/svg+xml',
      'public, max-age=3600',
    ]);
  });

  it('says that a file is missing only if it is: the console would take that for another build', async () => {
    await symlink('loop.js', join(root, 'assets', 'loop.js'));
    const statuses = ['nothing.js', 'main-1.js/part.js', `${'long'.repeat(100)}.js`, 'loop.js'].map(
      async (name) => (await get(`/assets/${name}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 404, 404, 500]);
  });

  it('CON-37: serves the page whatever its query is, which the console reads', async () => {
    for (const query of ['to=%00', '%00=x', 'reference=%FF', 'model=%', `reference=${'x'.repeat(10_000)}`]) {
      const answer = await get(`/org/o/projects/p/api/logs/?${query}`);
      expect([query.slice(0, 20), answer.status, answer.headers.get('content-type')]).toEqual([
        query.slice(0, 20),
        200,
        'text/html; charset=UTF-8',
      ]);
    }
    // An address of the API that is written otherwise is still one.
    expect((await get('/%61pi/v2/user/?x=%00')).status).toBe(400);
  });

  it('gives no page to what does not accept one', async () => {
    expect((await get('/anything', { accept: 'application/json' })).status).toBe(404);
  });

  it('UXP-33: says whether the page of the mails is open, to who has come by its link', async () => {
    const page = async (cookie = ''): Promise<string> => (await get('/', { cookie })).text();
    expect(await page()).toContain('"mails":"outboxClosed"');
    expect(await page('outbox_opened=stale')).toContain('"mails":"outboxClosed"');
    const opened = await fetch(outboxLink(server.services), { redirect: 'manual' });
    const mark = opened.headers.getSetCookie().find((cookie) => cookie.startsWith('outbox_opened='));
    expect(mark).toMatch(/^outbox_opened=[\w-]{16}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await page(mark?.split(';')[0])).toContain('"mails":"outboxOpen"');
    expect(server.services.outboxSecret).not.toContain(mark?.slice(14, 30));
  });

  it('shows mails as text with a link, newest first, and runs nothing', async () => {
    const { db, mail } = server.services;
    const link = `${server.url}/signup/abc/?a=1&b="2"`;
    for (const written of [
      { to: 'a@example.com', subject: 'Older', text: 'x', html: 'x' },
      { to: '<b>@example.com', subject: '<img src=x onerror=alert(1)>', text: `See ${link} now`, html: 'x' },
    ])
      await db.transaction().execute((trx) => mail.send(trx, written));
    const { headers } = await fetch(outboxLink(server.services), { redirect: 'manual' });
    const answer = await get('/outbox', { cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' });
    const html = await answer.text();
    expect(html.indexOf('&lt;img src=x onerror=alert(1)&gt;')).toBeGreaterThan(0);
    expect(html.indexOf('&lt;img')).toBeLessThan(html.indexOf('Older'));
    const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(html) ?? [];
    expect(main).toContain('Older');
    expect(main).not.toMatch(/<img|<b>|<script/);
    expect(html).toContain(`<a href="${server.url}/signup/abc/?a=1&amp;b=&quot;2&quot;" rel="noreferrer">`);
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  it('behind https marks the cookie Secure and asks for a wss: socket on the streaming host', async () => {
    const secure = await startTestServer({
      env: { PUBLIC_URL: 'https://console.example.com', SMTP_URL: 'smtp://127.0.0.1:1' },
      overrides: { webRoot: root },
    });
    onTestFinished(secure.close);
    const { headers } = await rawRequest(secure.url, { headers: { host: 'console.example.com' } });
    expect(headers['set-cookie']?.[0]).toMatch(/; Secure/);
    expect(headers['content-security-policy']).toContain(
      "connect-src 'self' wss://console.example.com wss://stt-rt.example.com;",
    );
  });

  it.each([
    ['this machine, with a mail server', { SMTP_URL: 'smtp://127.0.0.1:1' }, 'sent'],
    ['others, without one', { HOST: '0.0.0.0' }, 'lost'],
  ])('UXP-33: the page of a server for %s says what becomes of mails', async (_, env, mails) => {
    const other = await startTestServer({ env, overrides: { webRoot: root } });
    onTestFinished(other.close);
    for (const cookie of ['', 'outbox_opened=stale'])
      expect(await (await fetch(other.url, { headers: { accept: 'text/html', cookie } })).text()).toContain(
        `"mails":"${mails}"`,
      );
  });
});

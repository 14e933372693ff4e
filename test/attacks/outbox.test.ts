/** Taking over accounts by the page of the outbox: recovery links for everybody who reaches it. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '#server/platform/config.ts';
import { createLog } from '#server/platform/log.ts';
import { hasOutboxPage, looksLocal, outboxLink } from '#server/app/outbox-page.ts';
import { startTestServer, type TestServer } from '../server/harness.ts';
import { publicCall } from '../server/browser.ts';
import { appendPeer, startProxy } from './proxy.ts';

const VICTIM = 'victim@example.com';

let server: TestServer;
const lines: string[] = [];
beforeAll(async () => {
  const log = createLog('debug', { write: (line) => lines.push(line) });
  server = await startTestServer({ overrides: { log } });
  await server.createUser({ email: VICTIM });
  await publicCall(server, 'PUT', '/api/v2/user/password/recover/', { email: VICTIM });
});
afterAll(() => server.close());

interface Answer {
  status: number;
  text: string;
  cookie: string;
  location: string | undefined;
  caching: string | undefined;
}
/** fetch cannot choose the Host header. */
const get = (url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    request(url, { method, headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += String(chunk);
      });
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          text,
          cookie: answer.headers['set-cookie']?.[0] ?? '',
          location: answer.headers.location,
          caching: answer.headers['cache-control'],
        }),
      );
    })
      .on('error', reject)
      .end();
  });

const open = async (): Promise<string> => (await get(outboxLink(server.services))).cookie.split(';')[0] ?? '';
/** An address that nobody has ever heard of, for comparison. */
const unknown = async (headers: Record<string, string> = {}): Promise<Answer> =>
  get(`${server.url}/v1/nothing`, headers);
const withoutId = ({ status, text, cookie }: Answer): unknown => ({
  status,
  cookie,
  text: text.replace(/"request_id":"[^"]+"/, ''),
});

describe('the page of the outbox', () => {
  it('SEC-01 SEC-09: the link of the start opens it, once for the browser, on an address without the secret; neither is kept anywhere', async () => {
    const link = outboxLink(server.services);
    const opened = await get(link);
    expect([opened.status, opened.location]).toEqual([303, '/outbox']);
    expect(opened.cookie).toMatch(/^outbox=[\w-]{43}; Path=\/outbox; HttpOnly; SameSite=Strict$/);
    const page = await get(`${server.url}/outbox`, { cookie: await open() });
    expect(page.status).toBe(200);
    expect(page.text).toMatch(new RegExp(`To ${VICTIM}[^]*/password/[\\w-]{43}/`));
    expect(page.text).not.toContain(server.services.outboxSecret);
    expect([opened.caching, page.caching]).toEqual(['no-store', 'no-store']);
  });

  it('SEC-01: without the secret, or with another, it is not there, for a program on the machine itself, too', async () => {
    const cookie = await open();
    for (const [path, headers] of [
      ['/outbox', {}],
      ['/outbox/', {}],
      ['/outbox/x', {}],
      [`/outbox/${'x'.repeat(43)}`, {}],
      [`/outbox/${server.services.outboxSecret.slice(1)}/`, {}],
      ['/outbox', { cookie: 'outbox=' }],
      ['/outbox', { cookie: `outbox=${'x'.repeat(43)}` }],
      [`/outbox/${server.services.outboxSecret}/more`, {}],
      ['/outbox', { accept: 'text/html' }],
      ['/outbox/x', { accept: 'text/html', cookie }],
    ] as const) {
      const answer = await get(server.url + path, headers);
      expect([path, withoutId(answer)]).toEqual([path, withoutId(await unknown())]);
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'])
      expect([method, (await get(`${server.url}/outbox`, { cookie }, method)).status]).toEqual([method, 404]);
  });

  it.each([
    ['forwarded', 'for=203.0.113.7'],
    ['x-forwarded-for', '203.0.113.7'],
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-host', 'console.example.com'],
    ['x-forwarded-proto', 'https'],
    ['x-real-ip', '203.0.113.7'],
    ['via', '1.1 proxy'],
    ['cf-connecting-ip', '203.0.113.7'],
    ['true-client-ip', '203.0.113.7'],
    ['x-client-ip', '203.0.113.7'],
    ['x-cluster-client-ip', '203.0.113.7'],
    ['fly-client-ip', '203.0.113.7'],
    ['cdn-loop', 'x'],
  ])(
    'SEC-01: a request that came through something (%s: %s) gets nothing, even with the secret',
    async (name, value) => {
      const cookie = await open();
      expect((await get(`${server.url}/outbox`, { cookie, [name]: value })).status).toBe(404);
      expect(withoutId(await get(outboxLink(server.services), { [name]: value }))).toEqual(withoutId(await unknown()));
    },
  );

  it.each(['console.example.com', 'evil.example', '127.0.0.1.nip.io', '203.0.113.7'])(
    'SEC-01: a Host of %j gets nothing, even with the secret',
    async (host) => {
      const answer = await get(`${server.url}/outbox`, { cookie: await open(), host });
      expect(answer.text).not.toContain(VICTIM);
      expect([400, 404, 421]).toContain(answer.status);
    },
  );

  // The server refuses other hosts before; here it is asked about what would come through.
  it.each([
    ['a person at this machine', '127.0.0.1', { host: 'localhost:8080' }, true],
    ['by IPv6', '::1', { host: '[::1]:8080' }, true],
    ['by IPv4 in IPv6', '::ffff:127.0.0.1', { host: 'console.localhost' }, true],
    ['another machine', '203.0.113.7', { host: 'localhost:8080' }, false],
    ['another machine of the network', '192.168.1.20', { host: 'localhost' }, false],
    ['a socket that is gone', undefined, { host: 'localhost' }, false],
    ['a public name', '127.0.0.1', { host: 'console.example.com' }, false],
    ['a name that only begins so', '127.0.0.1', { host: 'localhost.example.com' }, false],
    ['no name', '127.0.0.1', {}, false],
    ['what a proxy adds', '127.0.0.1', { host: 'localhost', 'x-forwarded-for': '203.0.113.7' }, false],
  ])(
    'SEC-01: %s looks local only by its peer, its Host and no forwarding header together',
    (_who, remoteAddress, headers, expected) => {
      expect(looksLocal({ headers, socket: { remoteAddress } })).toBe(expected);
    },
  );

  it('SEC-01: behind a reverse proxy with default headers, which looks local in every way, it is not there without the secret', async () => {
    const proxy = await startProxy(server.url);
    try {
      for (const path of ['/outbox', '/outbox/', '/outbox/guess']) {
        const answer = await get(proxy.url + path, { host: 'console.example.com' });
        expect([path, withoutId(answer)]).toEqual([path, withoutId(await unknown())]);
      }
      // The proxy does pass things on: it is the outbox that does not answer.
      expect((await get(`${proxy.url}/healthz`)).status).toBe(200);
    } finally {
      await proxy.close();
    }
  });

  it('SEC-01: behind one that says for whom it asks, it is not there with the secret either', async () => {
    const proxy = await startProxy(server.url, appendPeer);
    try {
      expect((await get(`${proxy.url}/outbox`, { cookie: await open() })).status).toBe(404);
    } finally {
      await proxy.close();
    }
  });

  it('SEC-01: no log line carries the secret', () => {
    const text = lines.join('');
    expect(text).toContain('"route":"/outbox/:secret"');
    expect(text).not.toContain(server.services.outboxSecret);
  });

  it.each([
    ['a mail server', { SMTP_URL: 'smtp://127.0.0.1:1' }],
    ['an address of the network', { HOST: '0.0.0.0' }],
    ['a public address', { SMTP_URL: 'smtp://127.0.0.1:1', PUBLIC_URL: 'https://console.example.com' }],
  ])('SEC-01: with %s there is none at all', async (_name, env) => {
    const other = await startTestServer({ env });
    try {
      for (const url of [`${other.url}/outbox`, `${other.url}/outbox/${other.services.outboxSecret}/`]) {
        const answer = await get(url, { cookie: `outbox=${other.services.outboxSecret}` });
        expect([answer.status, answer.cookie]).toEqual([404, '']);
      }
    } finally {
      await other.close();
    }
  });

  // Such a server does not start; the page does not lean on that.
  it.each([
    ['127.0.0.1', 'http://localhost:8080', true],
    ['localhost', 'https://console.localhost', true],
    ['127.0.0.1', 'https://console.example.com', false],
    ['0.0.0.0', 'http://localhost:8080', false],
  ])('SEC-01: without a mail server, listening on %s under %s, it is there: %s', (host, publicUrl, expected) => {
    expect(
      hasOutboxPage({ config: { ...server.services.config, smtpUrl: undefined, host }, publicUrl: () => publicUrl }),
    ).toBe(expected);
  });

  it('SEC-01: each start makes its own secret', async () => {
    const other = await startTestServer();
    try {
      expect(other.services.outboxSecret).not.toBe(server.services.outboxSecret);
    } finally {
      await other.close();
    }
  });
});

describe('a public address', () => {
  it.each([
    'https://console.example.com',
    'http://192.168.1.5:8080',
    'https://localhost.example.com',
    'http://[2001:db8::1]',
  ])('SEC-02: %s without a mail server is refused, with the reason', (PUBLIC_URL) => {
    for (const HOST of ['127.0.0.1', '0.0.0.0'])
      expect(() => loadConfig({ HOST, PUBLIC_URL })).toThrow(
        /^SMTP_URL is required together with a PUBLIC_URL that others can reach: without a mail server nobody gets [^.]+\.$/,
      );
    expect(() => loadConfig({ PUBLIC_URL, SMTP_URL: 'smtp://mail.example.com' })).not.toThrow();
  });

  it.each([
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'http://127.9.9.9',
    'http://[::1]:8080',
    'https://console.localhost',
  ])('SEC-02: %s leads to this machine only, and needs none', (PUBLIC_URL) => {
    expect(() => loadConfig({ PUBLIC_URL })).not.toThrow();
  });
});

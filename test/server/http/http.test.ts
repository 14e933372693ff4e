import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { ApiError } from '#contract/errors.ts';
import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import { createLog } from '#server/platform/log.ts';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../harness.ts';
import { HANDSHAKE, rawRequest } from '../raw-request.ts';
import { activationToken, CSRF, publicCall } from '../browser.ts';
import { PASSWORD } from '#test/passwords.ts';

describe('http', () => {
  let server: TestServer;
  const lines: string[] = [];
  beforeAll(async () => {
    const log = createLog('info', { write: (line) => void lines.push(line) });
    server = await startTestServer({ overrides: { log } });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    lines.length = 0;
    await server.services.db.deleteFrom('rate_limits').execute();
  });

  const refused = async (answer: Response): Promise<ApiError> => v.parse(ApiError, await answer.json());

  it('tells a wrong method, and the right ones', async () => {
    const wrong = await fetch(`${server.url}/api/v2/signup/some-token/`, {
      method: 'DELETE',
      headers: { authorization: 'Bearer x' },
    });
    expect([wrong.status, wrong.headers.get('allow'), (await refused(wrong)).error_type]).toEqual([
      405,
      'GET, PUT',
      'method_not_allowed',
    ]);
  });

  it('refuses a body over 1 MiB, declared or streamed', async () => {
    const long = JSON.stringify({ email: 'a@example.com', password: 'x'.repeat(1_048_576) });
    expect((await publicCall(server, 'POST', '/api/v2/token/', long)).status).toBe(413);
    const streamed = await fetch(`${server.url}/api/v2/token/`, {
      method: 'POST',
      headers: { cookie: `${CSRF_COOKIE}=${CSRF}`, [CSRF_HEADER]: CSRF },
      body: new Blob([long]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(streamed.status).toBe(413);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it.each([
    ['no token at all', {}],
    ['a cookie alone', { cookie: `${CSRF_COOKIE}=${CSRF}` }],
    ['a header alone', { [CSRF_HEADER]: CSRF }],
    ['two that differ', { cookie: `${CSRF_COOKIE}=${CSRF}`, [CSRF_HEADER]: `${CSRF.slice(1)}y` }],
    ['two that are empty', { cookie: `${CSRF_COOKIE}=`, [CSRF_HEADER]: '' }],
  ])('SES-02: before login a call with %s is refused, with a status that ends no session', async (_name, headers) => {
    const answer = await fetch(`${server.url}/api/v2/token/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
    expect([answer.status, (await refused(answer)).error_type]).toEqual([400, 'csrf_failed']);
    // CON-07: a browser whose cookie is gone gets another one with the refusal, and can repeat the call.
    const given = new RegExp(`^${CSRF_COOKIE}=([\\w-]{43});`).exec(answer.headers.get('set-cookie') ?? '')?.[1];
    const sent = new Headers(Object.entries(headers)).get('cookie');
    expect(given !== undefined).toBe(sent === null || sent === `${CSRF_COOKIE}=`);
  });

  it('tells nothing of what went wrong inside, but logs it', async () => {
    await server.services.db.schema.alterTable('outbox').renameTo('outbox_away').execute();
    try {
      const answer = await publicCall(server, 'PUT', '/api/v2/signup/verify-email/', { email: 'inside@example.com' });
      const error = await refused(answer);
      expect([answer.status, error.error_type]).toEqual([500, 'internal_error']);
      expect(error.message).not.toMatch(/outbox|relation|Error/);
      expect(lines.join('')).toContain('relation \\"outbox\\" does not exist');
      expect(lines.join('')).toContain(error.request_id);
    } finally {
      await server.services.db.schema.alterTable('outbox_away').renameTo('outbox').execute();
    }
  });

  it('writes no token, password or query into the log', async () => {
    await publicCall(server, 'PUT', '/api/v2/signup/verify-email/', { email: 'quiet@example.com' });
    const token = await activationToken(server, 'quiet@example.com');
    await fetch(`${server.url}/api/v2/signup/${token}/?secret=in-query`);
    await fetch(`${server.url}/signup/${token}/`);
    const answer = await publicCall(server, 'PUT', `/api/v2/signup/${token}/`, { password: PASSWORD });
    const pair = v.parse(v.object({ access: v.string(), refresh: v.string() }), await answer.json());
    await fetch(`${server.url}/api/v2/user/`, { headers: { authorization: `Bearer ${pair.access}` } });
    await publicCall(server, 'POST', '/api/v2/token/refresh/', { refresh: pair.refresh });
    server.services.log.info(
      {
        authorization: 'Bearer top',
        nested: { password: 'top', api_key: 'top' },
        a: { b: { refresh: 'top', cookie: 'top' } },
      },
      'direct',
    );
    const text = lines.join('');
    expect(text).toContain('"route":"/api/v2/signup/:token"');
    for (const secret of [token, 'in-query', PASSWORD, pair.access, pair.refresh, CSRF, 'quiet@example.com', 'top"'])
      expect(text).not.toContain(secret);
  });

  it('answers for local names only (DNS rebinding)', async () => {
    const withHost = async (host: string) =>
      (await rawRequest(`${server.url}/healthz`, { headers: { host } })).statusCode;
    for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1:1', '[::1]:8080', 'console.localhost:8080'])
      expect([host, await withHost(host)]).toEqual([host, 200]);
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io', '192.168.1.5'])
      expect([host, await withHost(host)]).toEqual([host, 421]);
  });

  it('sets the headers that keep answers from being reinterpreted or framed', async () => {
    const answer = await fetch(`${server.url}/healthz`);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(answer.headers.get('strict-transport-security')).toBeNull();
  });

  it('OPS-53: keeps a connection for longer than the balancer that comes with it, which would send into one that closes', async () => {
    const answer = await fetch(`${server.url}/healthz`);
    const kept = Number(/timeout=(\d+)/.exec(answer.headers.get('keep-alive') ?? '')?.[1]);
    const balancer = [
      ...readFileSync('ops/haproxy.cfg', 'utf8').matchAll(/timeout (?:server|http-keep-alive) (\d+)s/g),
    ];
    expect(balancer).toHaveLength(2);
    for (const [, seconds] of balancer) expect(kept).toBeGreaterThan(Number(seconds));
  });

  it('SEC-16: keeps no connection of a handshake that it refuses, though its peer does', async () => {
    const { port } = new URL(server.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    socket.write(`GET /nope HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    let [told, error]: [string, Error | undefined] = ['', undefined];
    socket.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    socket.on('error', (reason) => {
      error = reason;
    });
    await once(socket, 'end');
    expect(told).toMatch(/^HTTP\/1.1 404 /);
    await expect
      .poll(() => {
        if (!error) socket.write('still here');
        return error?.message;
      })
      .toMatch(/EPIPE|ECONNRESET/);
  });

  it('hands a handshake to the area that asked for its path, with a request id', async () => {
    const seen: string[] = [];
    server.services.upgrades.set('/test-socket', (_request, socket, _head, requestId) => {
      seen.push(requestId);
      socket.end('HTTP/1.1 418 Teapot\r\ncontent-length: 0\r\n\r\n');
    });
    const { statusCode } = await rawRequest(`${server.url}/test-socket/?token=in-query`, { headers: HANDSHAKE });
    expect(statusCode).toBe(418);
    expect(lines.join('')).toContain(seen[0]);
    expect(lines.join('')).not.toContain('in-query');
  });
});

/** Pretending to be somebody else, or everybody, by the headers that proxies write. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clientOf } from '#server/http/client-address.ts';
import { parseNetworks } from '#server/platform/networks.ts';
import { loadConfig } from '#server/platform/config.ts';
import { bearer, connectLive, projectKey, startSpeechServer, type SpeechServer } from '../server/speech-api/harness.ts';
import { publicCall } from '../server/browser.ts';
import { keptLog } from '../server/log-lines.ts';
import { START } from '../server/speech-api/live/live-harness.ts';
import { appendPeer, startProxy } from './proxy.ts';

const trusted = (text: string) => parseNetworks(text) ?? [];
const seen = (peer: string, forwarded: string | undefined, proxies: string) =>
  clientOf(
    { headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }, socket: { remoteAddress: peer } },
    trusted(proxies),
  );

describe('the address of a client', () => {
  it.each([
    ['nobody is trusted', '10.0.0.1', '203.0.113.7', '', '10.0.0.1'],
    ['the peer is not', '203.0.113.9', '203.0.113.7', '10.0.0.0/8', '203.0.113.9'],
    ['the peer is', '10.0.0.1', '203.0.113.7', '10.0.0.0/8', '203.0.113.7'],
    ['there is no header', '10.0.0.1', undefined, '10.0.0.0/8', '10.0.0.1'],
    ['the header is empty', '10.0.0.1', '', '10.0.0.0/8', '10.0.0.1'],
    [
      'the client writes hops of its own',
      '10.0.0.1',
      '198.51.100.1, 10.0.0.9, 203.0.113.7',
      '10.0.0.0/8',
      '203.0.113.7',
    ],
    [
      'there are several proxies',
      '127.0.0.1',
      '203.0.113.7, 10.1.2.3 , 10.0.0.2',
      '127.0.0.1,10.0.0.0/8',
      '203.0.113.7',
    ],
    ['all hops are proxies', '127.0.0.1', '10.0.0.3, 10.0.0.2', '127.0.0.1,10.0.0.0/8', '10.0.0.3'],
    ['a hop is no address', '127.0.0.1', '203.0.113.7, unknown, 10.0.0.2', '127.0.0.1,10.0.0.0/8', '10.0.0.2'],
    ['a hop is obfuscated', '127.0.0.1', '_hidden', '127.0.0.1', '127.0.0.1'],
    ['a hop is empty', '127.0.0.1', '203.0.113.7,', '127.0.0.1', '127.0.0.1'],
    ['a hop is a short form', '127.0.0.1', '10.1', '127.0.0.1', '127.0.0.1'],
    ['a hop is a number', '127.0.0.1', '3405803783', '127.0.0.1', '127.0.0.1'],
    ['a hop has a port', '127.0.0.1', '203.0.113.7:4711', '127.0.0.1', '203.0.113.7'],
    ['a hop is IPv6 in brackets', '127.0.0.1', '[2001:db8::7]:4711', '127.0.0.1', '2001:db8::7'],
    ['the peer is IPv4 in the form of IPv6', '::ffff:10.0.0.1', '203.0.113.7', '10.0.0.0/8', '203.0.113.7'],
    ['the proxy is named in the form of IPv6', '10.0.0.1', '203.0.113.7', '::ffff:10.0.0.0/104', '203.0.113.7'],
    ['a hop is in that form', '127.0.0.1', '203.0.113.7, ::ffff:10.0.0.2', '127.0.0.1,10.0.0.0/8', '203.0.113.7'],
    ['the proxy is IPv6', '2001:db8:1::5', '203.0.113.7', '2001:db8:1::/48', '203.0.113.7'],
    ['the peer has a zone', 'fe80::1%eth0', undefined, '', 'fe80::1%eth0'],
    ['the socket is gone', '', '203.0.113.7', '0.0.0.0/0,::/0', 'unknown'],
  ])('SEC-03: where %s', (_case, peer, forwarded, proxies, address) => {
    expect(seen(peer, forwarded, proxies).address).toBe(address);
  });

  it('SEC-03: IPv6 counts by /64, IPv4 by address, in one form each', () => {
    expect(seen('2001:db8:1:2:3:4:5:6', undefined, '').network).toBe('2001:db8:1:2::/64');
    expect(seen('2001:DB8:1:2::9', undefined, '').network).toBe('2001:db8:1:2::/64');
    expect(seen('2001:db8:1:3::9', undefined, '').network).toBe('2001:db8:1:3::/64');
    expect(seen('fe80::1%eth0', undefined, '').network).toBe('fe80::/64');
    expect(seen('203.0.113.7', undefined, '').network).toBe('203.0.113.7');
    expect(seen('::ffff:203.0.113.7', undefined, '').network).toBe('203.0.113.7');
  });

  it("SEC-03: other headers than X-Forwarded-For are nobody's word", () => {
    const headers = {
      forwarded: 'for=203.0.113.7',
      'x-real-ip': '203.0.113.7',
      'cf-connecting-ip': '203.0.113.7',
      'true-client-ip': '203.0.113.7',
    };
    expect(clientOf({ headers, socket: { remoteAddress: '127.0.0.1' } }, trusted('127.0.0.1')).address).toBe(
      '127.0.0.1',
    );
  });

  it('SEC-03: TRUSTED_PROXIES is checked at the start', () => {
    expect(loadConfig({}).trustedProxies).toEqual([]);
    expect(
      loadConfig({ TRUSTED_PROXIES: ' 127.0.0.1 , 10.0.0.0/8,::1,2001:db8::/32' }).trustedProxies.map(
        ([address, bits]) => `${address.toString()}/${bits}`,
      ),
    ).toEqual(['127.0.0.1/32', '10.0.0.0/8', '::1/128', '2001:db8::/32']);
    for (const TRUSTED_PROXIES of [
      'localhost',
      '10',
      '10.0.0',
      '10/8',
      '10.0.0.0/33',
      '10.0.0.0/',
      '::1/129',
      '::/0/0',
      '127.0.0.1,',
      '127.0.0.1 10.0.0.1',
      '::ffff:10.0.0.0/8',
      '10.0.0.0/-1',
      '0x0a.0.0.0/8',
    ]) {
      expect(() => loadConfig({ TRUSTED_PROXIES })).toThrow(
        'TRUSTED_PROXIES must be addresses and networks, separated by commas, such as 10.0.0.0/8,::1.',
      );
    }
  });
});

describe('behind a proxy that is trusted', () => {
  let server: SpeechServer;
  let now = new Date('2026-05-04T09:00:00Z');
  const { lines, log } = keptLog();
  const clients = (method?: string): unknown[] =>
    lines.filter((line) => method === undefined || line['method'] === method).map(({ client }) => client);
  beforeAll(async () => {
    server = await startSpeechServer({
      engine: { auto: true },
      server: { env: { TRUSTED_PROXIES: '127.0.0.1' }, overrides: { log, clock: () => now } },
    });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    lines.length = 0;
    now = new Date(now.getTime() + 3_600_000);
    await server.services.db.deleteFrom('rate_limits').execute();
  });

  const wrong = (from: string | undefined) =>
    publicCall(
      server,
      'POST',
      '/api/v2/token/',
      { email: 'ada@example.com', password: 'wrong' },
      from === undefined ? {} : { 'x-forwarded-for': from },
    );
  const models = (from: string, authorization = 'Bearer prl_wrong'): Promise<Response> =>
    fetch(`${server.url}/v1/models`, { headers: { authorization, 'x-forwarded-for': from } });

  it.each<[string, (round: number) => string, string, (string | undefined)[]]>([
    [
      'the failures of one client do not lock out another',
      () => '203.0.113.7',
      '203.0.113.7',
      ['203.0.113.8', undefined],
    ],
    // The proxy has put the client's own address at the right, whatever the client wrote before it.
    [
      'a client cannot write itself new addresses, nor another its own',
      (round) => `198.51.100.${round}, 203.0.113.7`,
      '198.51.100.99, 203.0.113.7',
      ['198.51.100.0'],
    ],
    [
      'the addresses of one /64 are one client',
      (round) => `2001:db8:1:2::${round}`,
      '2001:db8:1:2:ffff::1',
      ['2001:db8:1:3::1'],
    ],
  ])('SEC-03: %s', async (_what, failing, same, others) => {
    for (let round = 0; round < 5; round += 1) expect((await wrong(failing(round))).status).toBe(400);
    expect((await wrong(same)).status).toBe(429);
    for (const other of others) expect((await wrong(other)).status).toBe(400);
  });

  it('SEC-03: the log names the client, not the proxy', async () => {
    await wrong('198.51.100.1, 203.0.113.7');
    expect(clients()).toContain('203.0.113.7');
    expect(clients()).not.toContain('127.0.0.1');
  });

  it('SEC-03: wrong keys count by the same address on the speech API and the live socket, and its log line names it', async () => {
    for (let n = 0; n < 60; n += 1) expect((await models('203.0.113.7')).status).toBe(401);
    const refused = await models('203.0.113.7');
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await models('203.0.113.8')).status).toBe(401);
    // Good ones are never refused.
    const user = await server.createUser();
    const { key } = await projectKey(server, user);
    for (const good of [`Bearer ${key}`, bearer(user).authorization])
      expect((await models('203.0.113.7', good)).status).toBe(200);
    const refusalFor = async (from: string): Promise<unknown> => {
      const client = connectLive(server, { headers: { 'x-forwarded-for': from } });
      await client.opened;
      client.socket.send(JSON.stringify({ ...START, api_key: 'prl_x' }));
      await client.closed;
      return client.frames[0]?.['error_code'];
    };
    expect(await refusalFor('203.0.113.7')).toBe(429);
    expect(await refusalFor('203.0.113.9')).toBe(401);
    expect(clients('UPGRADE')).toEqual(['203.0.113.7', '203.0.113.9']);
  });

  it('SEC-03: through a real proxy that appends the address it saw', async () => {
    const proxy = await startProxy(server.url, appendPeer);
    try {
      // All of the test is one machine: the client's address is the proxy's, and trusted, so the walk goes on to what the client wrote.
      const answer = await fetch(`${proxy.url}/healthz`, { headers: { 'x-forwarded-for': '203.0.113.20' } });
      expect(answer.status).toBe(200);
      expect(clients()).toContain('203.0.113.20');
    } finally {
      await proxy.close();
    }
  });
});

it('SEC-03: without TRUSTED_PROXIES no header changes who one is', async () => {
  const server = await startSpeechServer();
  try {
    const wrong = (from: string) =>
      publicCall(
        server,
        'POST',
        '/api/v2/token/',
        { email: 'eve@example.com', password: 'wrong' },
        { 'x-forwarded-for': from, forwarded: `for=${from}`, 'x-real-ip': from },
      );
    for (let round = 0; round < 5; round += 1) expect((await wrong(`203.0.113.${round}`)).status).toBe(400);
    expect((await wrong('203.0.113.99')).status).toBe(429);
  } finally {
    await server.close();
  }
});

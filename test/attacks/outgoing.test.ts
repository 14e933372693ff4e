/** Where strangers may send this server: webhooks and `audio_url`. */
import * as v from 'valibot';
import { afterEach, describe, expect, it } from 'vitest';
import { Transcription } from '#contract/transcriptions.ts';
import { loadConfig } from '#server/platform/config.ts';
import { parseNetworks } from '#server/platform/networks.ts';
import { allowing } from '#server/platform/outgoing/addresses.ts';
import { createOutgoing, NotAllowed } from '#server/platform/outgoing/client.ts';
import { eventually } from '../server/eventually.ts';
import { call, startSpeechServer, uploaded, type SpeechServer } from '../server/speech-api/harness.ts';
import { startOther } from '../server/outgoing-servers.ts';

const allowed = (networks: string, address: string): boolean =>
  allowing(networks === '' ? [] : (parseNetworks(networks) ?? []))(address);

const list = (addresses: string): string[] => addresses.trim().split(/\s+/);
const PRIVATE = list(`
  127.0.0.1 127.255.255.254 0.0.0.0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.1.1 100.64.0.1
  100.127.255.255 192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
  255.255.255.255 :: ::1 ::127.0.0.1 ::7f00:1 fc00::1 fd12::1 fe80::1 fe80::1%lo fec0::1 ff02::1 100::1 2001::1
  2001:db8::1 2002:7f00:1:: 3fff::1 5f00::1 4000::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:8.8.8.8
  64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::7f00:1 localhost example.com 127.1 0x7f000001 2130706433`);
const PUBLIC = list(`
  8.8.8.8 1.1.1.1 172.32.0.1 100.128.0.1 198.20.0.1 2606:4700:4700::1111 2a00:1450::1 2001:4860:4860::8888`);
const METADATA = list(`
  169.254.169.254 ::ffff:169.254.169.254 169.254.170.2 168.63.129.16 100.100.100.200 192.0.0.192
  fd00:ec2::254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::`);

describe('OUTGOING_ALLOWED_NETWORKS', () => {
  it('SEC-14: by default nothing but the public internet', () => {
    expect(['', ...PRIVATE, ...METADATA].filter((address) => allowed('', address))).toEqual([]);
  });

  it('SEC-14: public addresses need no name', () => {
    for (const address of PUBLIC)
      for (const networks of ['', '10.0.0.0/8']) expect(allowed(networks, address)).toBe(true);
  });

  it.each([
    ['10.0.0.0/8', '10.255.1.2', '10.0.0.0', true],
    ['10.0.0.0/8', '192.168.0.1', '127.0.0.1', false],
    ['192.168.7.4', '192.168.7.4', '192.168.7.4', true],
    ['192.168.7.4', '192.168.7.5', '192.168.7.5', false],
    ['10.0.0.0/8, fd12:3456::/32', 'fd12:3456::9', '10.1.1.1', true],
    ['fd12:3456::/32', 'fd12:3457::9', '::1', false],
    // In the form of IPv6 it is the same address.
    ['10.0.0.0/8', '::ffff:10.1.2.3', '::ffff:a01:203', true],
    ['10.0.0.0/8', '::ffff:127.0.0.1', '::ffff:11.0.0.1', false],
    ['127.0.0.0/8', '127.0.0.1', '127.9.9.9', true],
    ['127.0.0.0/8', '::1', '0.0.0.0', false],
    // A translated address goes by what it stands for, too.
    ['64:ff9b::/96', '64:ff9b::808:808', '64:ff9b::808:808', true],
    ['64:ff9b::/96', '64:ff9b::7f00:1', '64:ff9b::a00:1', false],
    ['64:ff9b::/96,10.0.0.0/8', '64:ff9b::a00:1', '64:ff9b::a01:203', true],
    ['10.0.0.0/8', '64:ff9b::a00:1', '2002:a00:1::', false],
  ])('SEC-14: %s: %s and %s: %s', (networks, one, other, is) => {
    expect([allowed(networks, one), allowed(networks, other)]).toEqual([is, is]);
  });

  it("SEC-14: what tells a cloud's credentials only where it is named by itself", () => {
    expect(METADATA.filter((address) => allowed('0.0.0.0/0,::/0', address))).toEqual([]);
    expect(allowed('169.254.0.0/16', '169.254.169.254')).toBe(false);
    expect(allowed('169.254.0.0/16', '169.254.1.1')).toBe(true);
    for (const networks of ['169.254.169.254', '169.254.169.254/32'])
      expect([
        allowed(networks, '169.254.169.254'),
        allowed(networks, '::ffff:169.254.169.254'),
        allowed(networks, '169.254.170.2'),
      ]).toEqual([true, true, false]);
    expect(allowed('fd00:ec2::254', 'fd00:ec2::254')).toBe(true);
  });

  it('SEC-14: names none by default, and is checked at the start', () => {
    expect(loadConfig({}).outgoingAllowedNetworks).toEqual([]);
    expect(() => loadConfig({ OUTGOING_ALLOWED_NETWORKS: '10.0.0' })).toThrow('OUTGOING_ALLOWED_NETWORKS must be');
  });

  it('SEC-14: what is connected to is what was checked, whatever the name means a moment later', async () => {
    const other = await startOther((_seen, response) => response.writeHead(200).end());
    let asked = 0;
    const outgoing = createOutgoing({
      allow: allowing(parseNetworks('127.0.0.1') ?? []),
      resolve: () => Promise.resolve([(asked += 1) === 1 ? '127.0.0.1' : '127.0.0.2']),
    });
    const url = new URL(`http://rebound.example:${other.port}/`);
    const ask = { method: 'GET', headers: {}, signal: AbortSignal.timeout(10_000) } as const;
    (await outgoing.request(url, ask)).destroy();
    expect([asked, other.seen.length]).toEqual([1, 1]);
    await expect(outgoing.request(url, ask)).rejects.toThrow(NotAllowed);
    await other.close();
  });
});

describe('a server with the setting', { timeout: 60_000 }, () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  async function start(env: Record<string, string>) {
    const other = await startOther((_seen, response) => response.writeHead(200).end('RIFF'));
    ends.push(other.close);
    const server = await startSpeechServer({ server: { env: { FETCH_AUDIO_URLS: 'on', ...env } } });
    ends.push(server.close);
    const user = await server.createUser();
    const create = async (extra: object): Promise<string> =>
      (await (await call(server, user, 'POST', '/transcriptions', { model: 'stt-async-v5', ...extra })).json()).id;
    const ended = (id: string): Promise<Transcription> =>
      eventually(async () => {
        // First: what is read afterwards is how it ended.
        expect(await jobs(server, id)).toEqual([]);
        return v.parse(Transcription, await (await call(server, user, 'GET', `/transcriptions/${id}`)).json());
      });
    return { other, create, ended, file: async () => (await uploaded(server, user)).id };
  }
  const jobs = (server: SpeechServer, id: string) =>
    server.services.db
      .selectFrom('jobs')
      .select('kind')
      .where('subject', '=', id)
      .where('state', '<>', 'dead')
      .execute();

  it('SEC-14: webhooks and audio_url reach a named network, by address and by name, and no other', async () => {
    const { other, create, ended, file } = await start({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.1' });
    expect(await ended(await create({ file_id: await file(), webhook_url: `${other.url}/hook` }))).toMatchObject({
      webhook_status_code: 200,
    });
    expect(await ended(await create({ audio_url: `http://localhost:${other.port}/a.wav` }))).toMatchObject({
      status: 'completed',
    });
    expect(other.seen.map(({ path }) => path)).toEqual(['/hook', '/a.wav']);
    for (const host of ['127.0.0.2', '0.0.0.0', '[::1]', '[::ffff:127.0.0.2]'])
      expect(await ended(await create({ audio_url: `http://${host}:${other.port}/` }))).toMatchObject({
        error_type: 'audio_url_not_allowed',
      });
    expect(other.seen).toHaveLength(2);
  });

  it('SEC-14: without it, none of them', async () => {
    const { other, create, ended, file } = await start({});
    expect(
      await ended(await create({ file_id: await file(), webhook_url: `http://localhost:${other.port}/` })),
    ).toMatchObject({
      status: 'completed',
      webhook_status_code: null,
    });
    expect(await ended(await create({ audio_url: other.url }))).toMatchObject({ error_type: 'audio_url_not_allowed' });
    expect(other.seen).toEqual([]);
  });
});

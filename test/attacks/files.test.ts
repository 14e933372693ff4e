/** Files and frames that are made to get out of their place, or to be too much. */
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../server/harness.ts';
import {
  bearer,
  connectLive,
  liveKey,
  startSpeechServer,
  upload,
  type SpeechServer,
} from '../server/speech-api/harness.ts';
import { START } from '../server/speech-api/live/live-harness.ts';

let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer({ engine: { auto: true } });
  user = await server.createUser();
});
afterAll(() => server.close());

const healthy = async (): Promise<void> => expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
/** A request as bytes, as no client would send it; resolves with the status. */
const raw = (text: string | Buffer): Promise<number> =>
  new Promise((resolve) => {
    const { port } = new URL(server.url);
    let answer = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => {
      answer += String(chunk);
    });
    // A connection that is cut counts as a refusal.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(Number(answer.split(' ')[1] ?? 0)));
  });

describe('the name of a file', () => {
  it.each([
    ['../../../etc/passwd', 'passwd'],
    ['..\\..\\windows\\system32\\x.wav', 'x.wav'],
    ['/etc/shadow', 'shadow'],
    ['..', 'file'],
    ['.', 'file'],
    ['%2e%2e%2fetc', '%2e%2e%2fetc'],
    ['gpj\u202Evaw.exe', 'gpjvaw.exe'],
    ['a\r\nSet-Cookie: x=y.wav', 'aSet-Cookie: x=y.wav'],
    ['<img src=x onerror=alert(1)>.wav', '<img src=x onerror=alert(1)>.wav'],
    ['"; filename="evil.html', '"; filename="evil.html'],
    ['con', 'con'],
    [`${'x'.repeat(5000)}.wav`, `${'x'.repeat(251)}.wav`],
    ['\u200B\u2066\u2069', 'file'],
  ])('API-03: %j is only a name, and leads nowhere', async (given, kept) => {
    const stored = await (await upload(server, user, 'RIFF', given)).json();
    expect(stored.filename).toBe(kept);
    // What is stored goes by its id, in its own folder.
    const folder = join(server.dataDir, 'files');
    expect(
      readdirSync(folder, { recursive: true })
        .map(String)
        .some((path) => path.endsWith(stored.id)),
    ).toBe(true);
    expect(readdirSync(server.dataDir).filter((name) => name.includes('passwd') || name.includes('shadow'))).toEqual(
      [],
    );
    const { url } = await (await fetch(`${server.url}/v1/files/${stored.id}/url`, { headers: bearer(user) })).json();
    const download = await fetch(url);
    expect([
      download.status,
      download.headers.get('set-cookie'),
      download.headers.get('content-security-policy'),
      download.headers.get('x-content-type-options'),
    ]).toEqual([200, null, "sandbox; default-src 'none'", 'nosniff']);
    expect(download.headers.get('content-disposition')).toMatch(
      /^inline; filename="[\x20\x21\x23-\x7e]+"; filename\*=UTF-8''[\w%.~!$&+^`|-]+$/,
    );
    expect(download.headers.get('content-type')).toMatch(/^(audio\/wav|application\/octet-stream)$/);
  });

  it.each([
    '../../../secret-key',
    '..%2f..%2fsecret-key',
    '%2e%2e%2fsecret-key',
    '....//secret-key',
    '/etc/passwd',
    'secret-key%00.wav',
  ])('API-03: the id %j is no way to other files', async (id) => {
    for (const path of [
      `/v1/files/${id}`,
      `/v1/files/${id}/url`,
      `/v1/files/${id}/download?token=x`,
      `/assets/${id}`,
      `/${id}`,
    ]) {
      const status = await raw(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${bearer(user).authorization}\r\nAccept: application/json\r\nConnection: close\r\n\r\n`,
      );
      expect([path, [400, 404].includes(status)]).toEqual([path, true]);
    }
  });

  it('API-03: the page of a recording that claims to be a page is none', async () => {
    const stored = await (await upload(server, user, '<script>alert(1)</script>', 'x.html')).json();
    const { url } = await (await fetch(`${server.url}/v1/files/${stored.id}/url`, { headers: bearer(user) })).json();
    expect((await fetch(url)).headers.get('content-type')).toBe('application/octet-stream');
  });
});

describe('too much of it', () => {
  it('API-03: headers without end are cut off, and the server goes on', async () => {
    expect(await raw(`GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(200_000)}\r\n\r\n`)).toBe(431);
    expect(await raw(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${'X: y\r\n'.repeat(20_000)}\r\n`)).toBe(431);
    expect(await raw(`GET /${'x'.repeat(200_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)).toBe(431);
    await healthy();
  });

  it('API-03: two lengths, a length and chunks, and a line that is none are no request', async () => {
    for (const head of [
      'Content-Length: 4\r\nContent-Length: 5',
      'Content-Length: 4\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: chunked, identity',
      'Content-Length: -1',
      'X y',
      ' X: y',
      'X\0: y',
      'Host: other',
    ]) {
      const status = await raw(
        `POST /api/v2/token/ HTTP/1.1\r\nHost: localhost\r\n${head}\r\nConnection: close\r\n\r\n{}`,
      );
      expect([head, status]).toEqual([head, 400]);
    }
    await healthy();
  });

  it('API-03: a form of a thousand parts, of parts in parts, or whose boundary is missing is a 400', async () => {
    const post = (type: string, body: string): Promise<Response> =>
      fetch(`${server.url}/v1/files`, { method: 'POST', headers: { ...bearer(user), 'content-type': type }, body });
    const part = (name: string, text: string): string =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
    for (const [type, body] of [
      [
        'multipart/form-data; boundary=x',
        `${Array.from({ length: 1000 }, (_, n) => part(`f${n}`, 'x')).join('')}--x--\r\n`,
      ],
      [
        'multipart/form-data; boundary=x',
        `--x\r\nContent-Disposition: form-data; name="file"; ${'x'.repeat(100_000)}\r\n\r\nRIFF\r\n--x--\r\n`,
      ],
      ['multipart/form-data; boundary=x', `${part('client_reference_id', 'x'.repeat(5000))}--x--\r\n`],
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=', 'x'],
      ['multipart/mixed; boundary=x', '--x--'],
      ['text/plain', 'x'],
      [`multipart/form-data; boundary=${'x'.repeat(5000)}`, 'x'],
    ] as const)
      expect([type.slice(0, 40), body.slice(0, 40), (await post(type, body)).status]).toEqual([
        type.slice(0, 40),
        body.slice(0, 40),
        400,
      ]);
    await healthy();
  });

  it('API-03: ranges without end, turned round or of another unit give the file or a refusal', async () => {
    const stored = await (await upload(server, user, 'RIFFRIFF')).json();
    const { url } = await (await fetch(`${server.url}/v1/files/${stored.id}/url`, { headers: bearer(user) })).json();
    const ranges = [
      `bytes=${Array.from({ length: 500 }, (_, n) => `${n}-${n}`).join()}`,
      'bytes=5-2',
      'bytes=-0',
      'bytes=99999999999999999999-',
      'bytes=0-99999999999999999999',
      'lines=1-2',
      'bytes=a-b',
      'bytes=',
    ];
    for (const range of ranges) {
      const answer = await fetch(url, { headers: { range } });
      expect([range.slice(0, 30), [200, 206, 416].includes(answer.status)]).toEqual([range.slice(0, 30), true]);
      expect((await answer.text()).length).toBeLessThanOrEqual(8);
    }
  });
});

describe('frames of the live socket', () => {
  const opened = async () => {
    const client = connectLive(server);
    await client.opened;
    client.socket.on('error', () => client.socket.terminate());
    return client;
  };

  it('one over 1 MiB ends the connection, whether it is text or sound, and no other', async () => {
    const other = await opened();
    for (const frame of ['x'.repeat((1 << 20) + 1), Buffer.alloc((1 << 20) + 1)]) {
      const client = await opened();
      client.socket.send(frame);
      expect(await client.closed).toBe(1009);
    }
    other.socket.send(JSON.stringify({ ...START, api_key: await liveKey(server, user) }));
    other.socket.send('');
    expect(await other.closed).toBe(1000);
    expect(other.frames.at(-1)).toMatchObject({ finished: true });
  });

  it.each([
    ['deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['a list', '[]'],
    ['a number', '7'],
    ['null', 'null'],
    ['an open text', '"'],
    ['nothing but blanks', '   '],
    ['a prototype', '{"__proto__":{"api_key":"prl_x"}}'],
    ['a key without end', JSON.stringify({ ...START, api_key: 'x'.repeat(900_000) })],
    ['keys without end', `{${Array.from({ length: 50_000 }, (_, n) => `"k${n}":1`).join()}}`],
  ])('a start request that is %s is refused, and the server goes on', async (_kind, frame) => {
    const client = await opened();
    client.socket.send(frame);
    await client.closed;
    expect(client.frames).toEqual([
      expect.objectContaining({ error_code: expect.toSatisfy((code) => code === 400 || code === 401) }),
    ]);
    await healthy();
  });

  it('bytes that break the protocol end the connection', async () => {
    const status = await new Promise<string>((resolve, reject) => {
      const headers = {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      };
      request(`${server.url}/transcribe-websocket`, { headers })
        .on('upgrade', (_answer, socket) => {
          // Not masked, with bits that mean nothing, and a length of 2^63.
          socket.write(Buffer.from([0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]));
          socket.resume();
          socket.on('error', () => socket.destroy());
          socket.on('close', () => resolve('closed'));
        })
        .on('error', reject)
        .end();
    });
    expect(status).toBe('closed');
    await healthy();
  });
});

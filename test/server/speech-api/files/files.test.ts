import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Counts, FilePage, FileUrl, StoredFile } from '#contract/files.ts';
import { StorageError } from '#server/platform/storage/port.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { bearer, call, refusalOf, startSpeechServer, upload, uploaded, type SpeechServer } from '../harness.ts';

let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer({ maxUploadBytes: 1_000_000 });
});
afterAll(() => server.close());

const stored = (): Promise<string[]> => readdir(join(server.dataDir, 'files'));

describe('upload', () => {
  beforeAll(async () => {
    user = await server.createUser();
  });

  it('API-03: multipart field `file` → 201 with the file, and its bytes in storage', async () => {
    const response = await upload(server, user, 'RIFF....', 'a talk.wav', { client_reference_id: 'ref-1' });
    expect(response.status).toBe(201);
    const file = v.parse(StoredFile, await response.json());
    expect(file).toMatchObject({ filename: 'a talk.wav', size: 8, client_reference_id: 'ref-1' });
    expect(await (await call(server, user, 'GET', `/files/${file.id}`)).json()).toEqual(file);
    expect(await stored()).toContain(file.id);
  });

  it('takes exactly the largest size and refuses one byte more', async () => {
    expect((await upload(server, user, new Uint8Array(1_000_000))).status).toBe(201);
    const before = await stored();
    const response = await upload(server, user, new Uint8Array(1_000_001));
    expect(response.status).toBe(400);
    expect(await refusalOf(response)).toMatchObject({
      error_type: 'invalid_request',
      message: 'File must be at most 1000000 bytes.',
    });
    expect(await stored()).toEqual(before);
  });

  it.each([
    ['a name with a path', '../../etc/passwd', 'passwd'],
    ['control and direction characters', 'a\u202eb\nc.wav', 'abc.wav'],
    ['another script', 'разговор 会議.wav', 'разговор 会議.wav'],
    ['a very long one', `${'x'.repeat(400)}.flac`, `${'x'.repeat(250)}.flac`],
  ])('cleans the file name: %s', async (_name, given, kept) => {
    expect(await (await upload(server, user, 'x', given)).json()).toMatchObject({ filename: kept });
  });

  it('refuses what is no upload, and keeps nothing of it', async () => {
    const before = await stored();
    const post = (body: string, type: string): Promise<Response> =>
      fetch(`${server.url}/v1/files`, { method: 'POST', headers: { ...bearer(user), 'content-type': type }, body });
    const form = (name: string): string =>
      `--b\r\ncontent-disposition: form-data; name="${name}"; filename="a.wav"\r\n\r\nabc\r\n--b--\r\n`;
    for (const response of [
      await post('{}', 'application/json'),
      await post('x', 'multipart/form-data'),
      await post(form('other'), 'multipart/form-data; boundary=b'),
      await post(form('file').slice(0, -8), 'multipart/form-data; boundary=b'),
      await post(form('other').slice(0, -8), 'multipart/form-data; boundary=b'),
      await upload(server, user, 'x', 'a.wav', { client_reference_id: 'x'.repeat(257) }),
    ]) {
      expect(response.status).toBe(400);
      expect(await refusalOf(response)).toMatchObject({ error_type: 'invalid_request' });
    }
    expect(await stored()).toEqual(before);
  });

  it('API-03: an upload that is aborted leaves nothing behind', async () => {
    const before = await stored();
    const request = http.request(`${server.url}/v1/files`, {
      method: 'POST',
      headers: { ...bearer(user), 'content-type': 'multipart/form-data; boundary=b' },
    });
    request.on('error', () => {});
    request.write(`--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n${'x'.repeat(200_000)}`);
    await eventually(async () => expect((await stored()).some((name) => name.endsWith('.part'))).toBe(true));
    request.destroy();
    await eventually(async () => expect(await stored()).toEqual(before));
  });

  it('a full disk is told as what it is', async () => {
    const before = await stored();
    const put = vi.spyOn(server.speech.storage, 'put').mockImplementation((_id, body) => {
      body.resume();
      return Promise.reject(new StorageError('storage_full', 'The server has no space left to store this file.'));
    });
    const response = await upload(server, user, new Uint8Array(900_000));
    put.mockRestore();
    expect(response.status).toBe(500);
    expect(await refusalOf(response)).toMatchObject({
      error_type: 'storage_full',
      message: 'The server has no space left to store this file.',
    });
    expect(await stored()).toEqual(before);
  });

  it('an upload under way is finished before the server stops', async () => {
    const stopping = await startSpeechServer();
    const owner = await stopping.createUser();
    const request = http.request(`${stopping.url}/v1/files`, {
      method: 'POST',
      headers: { ...bearer(owner), 'content-type': 'multipart/form-data; boundary=b' },
    });
    const answered = new Promise<number | undefined>((resolve, reject) =>
      request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject),
    );
    request.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nfirst half');
    await eventually(async () => expect(await readdir(join(stopping.dataDir, 'files'))).toHaveLength(1));
    const closed = stopping.close();
    request.end(', second half\r\n--b--\r\n');
    expect(await answered).toBe(201);
    await closed;
  });
});

describe('an address for a player', () => {
  it('begins with PUBLIC_URL where there is one', async () => {
    const proxied = await startSpeechServer({
      server: { env: { PUBLIC_URL: 'https://speech.example.com/', SMTP_URL: 'smtp://127.0.0.1:1' } },
    });
    const owner = await proxied.createUser();
    const { id } = await uploaded(proxied, owner);
    const { url } = v.parse(FileUrl, await (await call(proxied, owner, 'GET', `/files/${id}/url`)).json());
    const { origin, pathname, search } = new URL(url);
    expect([origin, pathname]).toEqual(['https://speech.example.com', `/v1/files/${id}/download`]);
    expect(await (await fetch(proxied.url + pathname + search)).text()).toBe('RIFF');
    await proxied.close();
  });
});

describe('lists', () => {
  beforeAll(async () => {
    user = await server.createUser();
  });

  it('LIB-01: newest first, by cursor, and null at the end', async () => {
    const empty = v.parse(FilePage, await (await call(server, user, 'GET', '/files')).json());
    expect(empty).toEqual({ files: [], next_page_cursor: null });
    for (const name of ['1.wav', '2.wav', '3.wav']) await uploaded(server, user, name);
    const names = async (query: string): Promise<[string[], string | null]> => {
      const page = v.parse(FilePage, await (await call(server, user, 'GET', `/files?${query}`)).json());
      return [page.files.map(({ filename }) => filename), page.next_page_cursor];
    };
    const [first, cursor] = await names('limit=2&cursor=');
    expect(first).toEqual(['3.wav', '2.wav']);
    expect(cursor).not.toBeNull();
    // A file that is added meanwhile does not shift the pages.
    await uploaded(server, user, '4.wav');
    expect(await names(`limit=2&cursor=${cursor}`)).toEqual([['1.wav'], null]);
    expect(await names('')).toEqual([['4.wav', '3.wav', '2.wav', '1.wav'], null]);
    expect((await names('limit=4'))[1]).toBeNull();
    expect(v.parse(Counts, await (await call(server, user, 'GET', '/files/count')).json())).toEqual({
      total: 4,
      public_api: 0,
      playground: 4,
    });
  });

  it.each([
    ['rubbish', 'invalid_cursor'],
    ['cGFnZTU', 'invalid_cursor'],
  ])('bad cursor %s → 400 %s', async (cursor, type) => {
    const response = await call(server, user, 'GET', `/files?cursor=${cursor}`);
    expect(response.status).toBe(400);
    expect((await refusalOf(response)).error_type).toBe(type);
  });

  it.each(['0', '1001', 'x', '-1'])('bad limit %s → 400', async (limit) => {
    const response = await call(server, user, 'GET', `/files?limit=${limit}`);
    expect(response.status).toBe(400);
    expect(await refusalOf(response)).toMatchObject({
      error_type: 'invalid_request',
      validation_errors: [{ location: 'query.limit' }],
    });
  });
});

describe('one file', () => {
  let file: StoredFile;
  const url = async (): Promise<string> =>
    v.parse(FileUrl, await (await call(server, user, 'GET', `/files/${file.id}/url`)).json()).url;
  beforeAll(async () => {
    user = await server.createUser();
    file = await (await upload(server, user, '0123456789', 'é "x".wav')).json();
  });

  it('is downloaded by a signed address without any other credential, as bytes that nothing runs', async () => {
    const address = await url();
    expect(address).toMatch(new RegExp(`^${server.url}/v1/files/${file.id}/download\\?token=[\\w.-]+$`));
    const response = await fetch(address);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': '10',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-disposition': `inline; filename="_ _x_.wav"; filename*=UTF-8''%C3%A9%20%22x%22.wav`,
    });
    expect(await response.text()).toBe('0123456789');
  });

  it('gives parts for players', async () => {
    const address = await url();
    const get = (range: string, extra: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
      fetch(address, { method, headers: { range, ...extra } });
    for (const [range, part, header] of [
      ['bytes=2-4', '234', 'bytes 2-4/10'],
      ['bytes=7-', '789', 'bytes 7-9/10'],
      ['bytes=-2', '89', 'bytes 8-9/10'],
      ['bytes=5-99', '56789', 'bytes 5-9/10'],
    ] as const) {
      const response = await get(range);
      expect([response.status, response.headers.get('content-range'), await response.text()]).toEqual([
        206,
        header,
        part,
      ]);
    }
    for (const range of ['bytes=10-', 'bytes=-0']) {
      const response = await get(range);
      expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */10']);
    }
    for (const range of ['bytes=4-2', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=-'])
      expect((await get(range)).status).toBe(200);
    const etag = (await get('bytes=0-0')).headers.get('etag') ?? '';
    expect((await get('bytes=0-0', { 'if-range': '"other"' })).status).toBe(200);
    expect((await get('bytes=0-0', { 'if-range': etag })).status).toBe(206);
    expect((await fetch(address, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const head = await get('bytes=0-3', {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([206, '4', '']);
  });

  it('an address is good for an hour, for this file, as it was signed', async () => {
    const address = await url();
    const other = await uploaded(server, user);
    expect((await fetch(address.replace(file.id, other.id))).status).toBe(404);
    expect((await fetch(`${address.slice(0, -1)}${address.endsWith('A') ? 'B' : 'A'}`)).status).toBe(404);
    expect((await fetch(address.replace(/token=.*/, 'token='))).status).toBe(404);
    // The clock goes on meanwhile.
    server.advance(3_540_000);
    expect((await fetch(address)).status).toBe(200);
    server.advance(61_000);
    const late = await fetch(address);
    expect(late.status).toBe(404);
    expect((await refusalOf(late)).message).toBe('This link has expired or is not valid.');
    server.advance(-3_601_000);
  });

  it('is deleted with its bytes', async () => {
    const address = await url();
    const response = await call(server, user, 'DELETE', `/files/${file.id}`);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(await stored()).not.toContain(file.id);
    expect((await fetch(address)).status).toBe(404);
    for (const [method, path] of [
      ['DELETE', ''],
      ['GET', ''],
      ['GET', '/url'],
    ] as const) {
      const gone = await call(server, user, method, `/files/${file.id}${path}`);
      expect(gone.status).toBe(404);
      expect(await refusalOf(gone)).toMatchObject({
        status_code: 404,
        error_type: 'file_not_found',
        message: 'File could not be found.',
      });
    }
    expect((await call(server, user, 'GET', '/files/no-uuid')).status).toBe(404);
    expect((await call(server, user, 'GET', `/files/${randomUUID()}`)).status).toBe(404);
  });
});

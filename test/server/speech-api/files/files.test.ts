import { readdir } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Counts, FilePage, FileUrl, StoredFile } from '#contract/files.ts';
import { StorageError } from '#server/platform/storage/port.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { outcomeOf } from '../../people.ts';
import { consoleClient } from '../client.ts';
import { bearer, refusalOf, startSpeechServer, upload, uploaded, type SpeechServer } from '../harness.ts';

const FORM = { 'content-type': 'multipart/form-data; boundary=b' };
/** A form up to what stands in its file. */
const formTo = (content: string, name = 'file'): string =>
  `--b\r\ncontent-disposition: form-data; name="${name}"; filename="a.wav"\r\n\r\n${content}`;
const FORM_END = '\r\n--b--\r\n';

let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer({
    maxUploadBytes: 1_000_000,
    server: { env: { PUBLIC_URL: 'https://speech.example.com/', SMTP_URL: 'smtp://127.0.0.1:1' } },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  user = await server.createUser();
});

const stored = (of: { dataDir: string } = server): Promise<string[]> => readdir(join(of.dataDir, 'files'));
const { call, read } = consoleClient(() => ({ server, user }));
/** Where a player finds it, without the proxy that the address leads to. */
const urlOf = async ({ id }: StoredFile): Promise<string> =>
  (await read(FileUrl, `/files/${id}/url`)).url.replace('https://speech.example.com', server.url);
/** The beginning of an upload; the rest is up to the test. */
const startUpload = (of: SpeechServer, by: TestUser, content: string): http.ClientRequest => {
  const request = http.request(`${of.url}/v1/files`, { method: 'POST', headers: { ...bearer(by), ...FORM } });
  request.write(formTo(content));
  return request;
};

describe('upload', () => {
  it('API-03: multipart field `file` → 201 with the file, and its bytes in storage', async () => {
    const response = await upload(server, user, 'RIFF....', 'разговор 会議.wav', { client_reference_id: 'ref-1' });
    expect(response.status).toBe(201);
    const file = v.parse(StoredFile, await response.json());
    expect(file).toMatchObject({ filename: 'разговор 会議.wav', size: 8, client_reference_id: 'ref-1' });
    expect(await read(StoredFile, `/files/${file.id}`)).toEqual(file);
    expect(await read(Counts, '/files/count')).toEqual({ total: 1, public_api: 0, playground: 1 });
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

  it('refuses what is no upload, and keeps nothing of it', async () => {
    const before = await stored();
    const post = (body: string, headers: Record<string, string> = FORM): Promise<Response> =>
      fetch(`${server.url}/v1/files`, { method: 'POST', headers: { ...bearer(user), ...headers }, body });
    for (const response of [
      await post('{}', { 'content-type': 'application/json' }),
      await post('x', { 'content-type': 'multipart/form-data' }),
      await post(formTo('abc', 'other') + FORM_END),
      await post(formTo('abc')),
      await post(formTo('abc', 'other')),
      await upload(server, user, 'x', 'a.wav', { client_reference_id: 'x'.repeat(257) }),
    ])
      expect(await outcomeOf(response)).toBe('400 invalid_request');
    expect(await stored()).toEqual(before);
  });

  it('API-03: an upload that is aborted leaves nothing behind', async () => {
    const before = await stored();
    const request = startUpload(server, user, 'x'.repeat(200_000)).on('error', () => {});
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

  it('under way when the server stops is finished before', async () => {
    const stopping = await startSpeechServer();
    const request = startUpload(stopping, await stopping.createUser(), 'first half');
    const answered = new Promise<number | undefined>((resolve, reject) =>
      request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject),
    );
    await eventually(async () => expect(await stored(stopping)).toHaveLength(1));
    const closed = stopping.close();
    request.end(`, second half${FORM_END}`);
    expect(await answered).toBe(201);
    await closed;
  });
});

it('LIB-01: what is added meanwhile shifts no pages, and after a page that is just full there is none', async () => {
  for (const name of ['1.wav', '2.wav', '3.wav']) await uploaded(server, user, name);
  const first = await read(FilePage, '/files?limit=2');
  await uploaded(server, user, '4.wav');
  expect(await read(FilePage, `/files?limit=2&cursor=${first.next_page_cursor}`)).toMatchObject({
    files: [{ filename: '1.wav' }],
    next_page_cursor: null,
  });
  expect((await read(FilePage, '/files?limit=4')).next_page_cursor).toBeNull();
});

describe('one file', () => {
  let file: StoredFile;
  beforeEach(async () => {
    file = await (await upload(server, user, '0123456789', 'é "x".wav')).json();
  });

  it('is downloaded by a signed address at PUBLIC_URL without any other credential, as bytes that nothing runs', async () => {
    const { url } = await read(FileUrl, `/files/${file.id}/url`);
    const { origin, pathname, search } = new URL(url);
    expect([origin, pathname]).toEqual(['https://speech.example.com', `/v1/files/${file.id}/download`]);
    expect(search).toMatch(/^\?token=[\w.-]+$/);
    const response = await fetch(server.url + pathname + search);
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
    const address = await urlOf(file);
    const get = async (headers: Record<string, string>, method = 'GET'): Promise<unknown[]> => {
      const response = await fetch(address, { method, headers });
      return [response.status, response.headers.get('content-range'), await response.text()];
    };
    const etag = (await fetch(address)).headers.get('etag') ?? '';
    const all = [200, null, '0123456789'];
    const first = [206, 'bytes 0-0/10', '0'];
    for (const [headers, answer] of [
      [{ range: 'bytes=2-4' }, [206, 'bytes 2-4/10', '234']],
      [{ range: 'bytes=7-' }, [206, 'bytes 7-9/10', '789']],
      [{ range: 'bytes=-2' }, [206, 'bytes 8-9/10', '89']],
      [{ range: 'bytes=5-99' }, [206, 'bytes 5-9/10', '56789']],
      [{ range: 'bytes=10-' }, [416, 'bytes */10', '']],
      [{ range: 'bytes=-0' }, [416, 'bytes */10', '']],
      [{ range: 'bytes=4-2' }, all],
      [{ range: 'bytes=0-1,4-5' }, all],
      [{ range: 'lines=1-2' }, all],
      [{ range: 'bytes=-' }, all],
      [{ range: 'bytes=0-0', 'if-range': '"other"' }, all],
      [{ range: 'bytes=0-0', 'if-range': etag }, first],
      [{ 'if-none-match': etag }, [304, null, '']],
    ] as const)
      expect([headers, await get(headers)]).toEqual([headers, answer]);
    const head = await fetch(address, { method: 'HEAD', headers: { range: 'bytes=0-3' } });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([206, '4', '']);
  });

  it('has an address that is good for an hour, for this file, as it was signed', async () => {
    const address = await urlOf(file);
    const other = await uploaded(server, user);
    for (const wrong of [
      address.replace(file.id, other.id),
      `${address.slice(0, -1)}${address.endsWith('A') ? 'B' : 'A'}`,
      address.replace(/token=.*/, 'token='),
    ])
      expect((await fetch(wrong)).status).toBe(404);
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
    const address = await urlOf(file);
    const response = await call('DELETE', `/files/${file.id}`);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(await stored()).not.toContain(file.id);
    expect((await fetch(address)).status).toBe(404);
    for (const method of ['GET', 'DELETE'])
      expect(await outcomeOf(await call(method, `/files/${file.id}`))).toBe('404 file_not_found');
  });
});

import { readdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Transcript, Transcription } from '#contract/transcriptions.ts';
import { loadConfig } from '#server/platform/config.ts';
import { removeOrphans } from '#server/speech-api/files/orphans.ts';
import { isPublicAddress } from '#server/platform/outgoing/addresses.ts';
import { createOutgoing, NotAllowed } from '#server/platform/outgoing/client.ts';
import { FETCH_AUDIO, FETCH_TRIES, filenameOf } from '#server/speech-api/transcriptions/fetch.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { call, refusalOf, startSpeechServer, upload, type SpeechServer } from '../harness.ts';
import { deferred } from '../live/live-harness.ts';
import { onLoopback, startOther, type OtherServer, type Seen } from '../../outgoing-servers.ts';

const MAX_BYTES = 100_000;
let server: SpeechServer;
let other: OtherServer;
let user: TestUser;
let answer: (seen: Seen, response: ServerResponse) => void;
/** What is waited for before anything is transcribed. */
let gate: Promise<void>;

beforeAll(async () => {
  other = await startOther((seen, response) => answer(seen, response));
  server = await startSpeechServer({
    server: { env: { FETCH_AUDIO_URLS: 'on' } },
    maxUploadBytes: MAX_BYTES,
    outgoing: { allow: onLoopback },
    engine: { transcribe: async () => (await gate, [{ text: ' fetched', start_ms: 0, end_ms: 10, confidence: 1 }]) },
  });
});
afterAll(async () => {
  await server.close();
  await other.close();
});
beforeEach(async () => {
  other.seen.length = 0;
  answer = (_seen, response) => response.writeHead(200).end('RIFF');
  gate = Promise.resolve();
  user = await server.createUser();
});

const create = async (url: string): Promise<Transcription> => {
  const response = await call(server, user, 'POST', '/transcriptions', {
    model: 'stt-async-v5',
    audio_url: url,
    file_id: null,
  });
  expect(response.status).toBe(201);
  return v.parse(Transcription, await response.json());
};
const get = async (id: string): Promise<Transcription> =>
  v.parse(Transcription, await (await call(server, user, 'GET', `/transcriptions/${id}`)).json());
const reaches = (id: string, status: string): Promise<Transcription> =>
  eventually(async () => {
    const transcription = await get(id);
    expect(transcription.status).toBe(status);
    return transcription;
  });
const stored = (): Promise<string[]> => readdir(join(server.dataDir, 'files'));

describe('a recording at an address', () => {
  it('is fetched and transcribed; nothing of it stays but the transcript', async () => {
    const url = `${other.url}/talks/first%20one.wav?token=1`;
    const made = await create(url);
    expect(made).toMatchObject({ status: 'queued', audio_url: url, file_id: null, filename: 'first one.wav' });
    expect(await reaches(made.id, 'completed')).toMatchObject({
      audio_url: url,
      file_id: null,
      audio_duration_ms: 1000,
    });
    expect(
      v.parse(Transcript, await (await call(server, user, 'GET', `/transcriptions/${made.id}/transcript`)).json()).text,
    ).toBe(' fetched');
    expect(other.seen).toMatchObject([{ method: 'GET', path: '/talks/first%20one.wav?token=1' }]);
    await eventually(async () => expect(await stored()).toEqual([]));
    expect((await (await call(server, user, 'GET', '/files')).json()).files).toEqual([]);
  });

  it.each([
    ['https://example.com/a/b/talk.mp3', 'talk.mp3'],
    ['https://example.com/', 'file'],
    ['https://example.com/a%2Fb%2Ftalk.mp3?x=/y.wav#z', 'talk.mp3'],
    ['https://example.com/100%.wav', '100%.wav'],
    ['https://example.com/%E4%BC%9A%E8%AD%B0.flac', '会議.flac'],
  ])('%s is called %s', (url, name) => expect(filenameOf(url)).toBe(name));

  it('redirects are followed, to five of them', async () => {
    answer = ({ path }, response) => {
      const left = Number(path.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
      else response.writeHead(200).end('RIFF');
    };
    await reaches((await create(`${other.url}/5`)).id, 'completed');
    expect(await reaches((await create(`${other.url}/6`)).id, 'error')).toMatchObject({
      error_type: 'audio_url_unreachable',
    });
  });

  it('what is kept for a transcription under way is no orphan; what nobody needs any more is', async () => {
    const opened = deferred();
    gate = opened.promise;
    const made = await create(`${other.url}/a.wav`);
    await reaches(made.id, 'processing');
    server.advance(7_200_000);
    expect(await removeOrphans(server.speech)).toBe(0);
    expect(await stored()).toEqual([made.id]);
    await server.services.db.updateTable('transcriptions').set({ status: 'error' }).where('id', '=', made.id).execute();
    expect(await removeOrphans(server.speech)).toBe(1);
    server.advance(-7_200_000);
    opened.resolve();
  });

  it('only so many are kept at once: the next ones are fetched when there is room, without losing a try', async () => {
    const opened = deferred();
    gate = opened.promise;
    const ids: string[] = [];
    for (let n = 1; n <= 8; n += 1) {
      ids.push((await create(`${other.url}/${n}.wav`)).id);
      await eventually(async () => expect(await stored()).toHaveLength(n));
    }
    await eventually(async () =>
      expect(
        await server.services.db.selectFrom('jobs').select('subject').where('kind', '=', FETCH_AUDIO).execute(),
      ).toEqual([]),
    );
    const next = await create(`${other.url}/9.wav`);
    const { run_at: asked } = await server.services.db
      .selectFrom('jobs')
      .select('run_at')
      .where('subject', '=', next.id)
      .executeTakeFirstOrThrow();
    await eventually(async () => {
      const job = await server.services.db
        .selectFrom('jobs')
        .selectAll()
        .where('subject', '=', next.id)
        .executeTakeFirstOrThrow();
      expect(job).toMatchObject({ kind: FETCH_AUDIO, state: 'ready', attempts: 0 });
      expect(job.run_at.getTime()).toBeGreaterThan(asked.getTime());
    });
    expect(other.seen).toHaveLength(8);
    opened.resolve();
    for (const id of [...ids, next.id]) await reaches(id, 'completed');
    expect(other.seen).toHaveLength(9);
  });

  it('one that is deleted while it is fetched is not transcribed', async () => {
    const held: ServerResponse[] = [];
    answer = (_seen, response) => {
      response.writeHead(200).write('RI');
      held.push(response);
    };
    const before = server.engine.transcriptions;
    const made = await create(`${other.url}/a.wav`);
    await eventually(() => expect(held).toHaveLength(1));
    expect((await call(server, user, 'DELETE', `/transcriptions/${made.id}`)).status).toBe(204);
    held[0]?.end('FF');
    answer = (_seen, response) => response.writeHead(200).end('RIFF');
    await reaches((await create(`${other.url}/b.wav`)).id, 'completed');
    expect(server.engine.transcriptions - before).toBe(1);
  });
});

describe('what cannot be fetched', () => {
  it.each([404, 403, 410, 204])('status %i fails at once', async (status) => {
    answer = (_seen, response) => response.writeHead(status).end();
    expect(await reaches((await create(`${other.url}/a.wav`)).id, 'error')).toMatchObject({
      error_type: 'audio_url_unreachable',
      error_message: `The file behind audio_url could not be fetched. The server answered with status ${status}.`,
    });
    expect(other.seen).toHaveLength(1);
  });

  it('a server that cannot now is asked again', async () => {
    answer = (_seen, response) => response.writeHead(other.seen.length < FETCH_TRIES ? 503 : 200).end('RIFF');
    await reaches((await create(`${other.url}/a.wav`)).id, 'completed');
  });

  it('a server that breaks off is asked again, then the transcription fails; no part stays', async () => {
    answer = (_seen, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('RIFF', () => response.destroy());
    };
    expect(await reaches((await create(`${other.url}/a.wav`)).id, 'error')).toMatchObject({
      error_type: 'audio_url_unreachable',
    });
    expect(other.seen).toHaveLength(FETCH_TRIES);
    expect((await stored()).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('a host that nobody listens on', async () => {
    const dead = await startOther(() => {});
    await dead.close();
    expect(await reaches((await create(`${dead.url}/a.wav`)).id, 'error')).toMatchObject({
      error_type: 'audio_url_unreachable',
      error_message: 'The file behind audio_url could not be fetched: its server does not answer.',
    });
  });

  it.each([
    [
      'says so',
      (response: ServerResponse) =>
        response.writeHead(200, { 'content-length': String(MAX_BYTES + 1) }).end(Buffer.alloc(MAX_BYTES + 1)),
    ],
    [
      'does not say so',
      (response: ServerResponse) => (
        response.writeHead(200),
        response.write(Buffer.alloc(MAX_BYTES)),
        response.end('x')
      ),
    ],
  ])('a file that is too large, and its server %s', async (_name, send) => {
    answer = (_seen, response) => void send(response);
    const before = await stored();
    expect(await reaches((await create(`${other.url}/a.wav`)).id, 'error')).toMatchObject({
      error_type: 'file_too_large',
      error_message: `The file behind audio_url is larger than ${MAX_BYTES} bytes.`,
    });
    expect(await stored()).toEqual(before);
  });

  it('the largest file is taken', async () => {
    answer = (_seen, response) => response.writeHead(200).end(Buffer.alloc(MAX_BYTES));
    await reaches((await create(`${other.url}/a.wav`)).id, 'completed');
  });

  it.each([
    'http://127.0.0.2/a.wav',
    'http://[::1]/a.wav',
    'http://169.254.169.254/latest/meta-data',
    'http://2130706434/a.wav',
    'http://0x7f.2/a.wav',
  ])('%s leads inside', async (url) => {
    expect(await reaches((await create(url)).id, 'error')).toMatchObject({
      error_type: 'audio_url_not_allowed',
      error_message: 'The audio_url does not lead to a server on the public internet.',
    });
  });

  it.each(['http://127.0.0.2/', 'http://[::ffff:127.0.0.1]/', 'file:///etc/passwd', 'ftp://127.0.0.1/'])(
    'a redirect to %s leads inside',
    async (location) => {
      answer = (_seen, response) => response.writeHead(302, { location }).end();
      expect(await reaches((await create(`${other.url}/a.wav`)).id, 'error')).toMatchObject({
        error_type: 'audio_url_not_allowed',
      });
    },
  );
});

describe('whether it is possible at all', () => {
  it.each([
    ['nothing', {}, 'file_id', 'missing'],
    ['another protocol', { audio_url: 'ftp://example.com/a.wav' }, 'audio_url', 'regex'],
    ['blanks', { audio_url: 'https://example.com/a b.wav' }, 'audio_url', 'regex'],
    ['no host', { audio_url: 'https://?' }, 'audio_url', 'invalid'],
    ['4097 characters', { audio_url: `https://example.com/${'x'.repeat(4077)}` }, 'audio_url', 'max_length'],
  ])('refuses %s', async (_name, source, field, type) => {
    const response = await call(server, user, 'POST', '/transcriptions', { model: 'stt-async-v5', ...source });
    expect(response.status).toBe(400);
    expect(await refusalOf(response)).toMatchObject({
      error_type: 'invalid_request',
      validation_errors: [{ location: `body.payload.${field}`, error_type: type }],
    });
  });

  it('refuses a file and an address together', async () => {
    const { id } = await (await upload(server, user)).json();
    const response = await call(server, user, 'POST', '/transcriptions', {
      model: 'stt-async-v5',
      file_id: id,
      audio_url: `${other.url}/a.wav`,
    });
    expect([response.status, (await refusalOf(response)).validation_errors[0]?.location]).toEqual([
      400,
      'body.payload.audio_url',
    ]);
  });

  it('is off unless the operator turns it on', async () => {
    const plain = await startSpeechServer();
    const owner = await plain.createUser();
    const response = await call(plain, owner, 'POST', '/transcriptions', {
      model: 'stt-async-v5',
      audio_url: `${other.url}/a.wav`,
    });
    expect([response.status, (await refusalOf(response)).message]).toEqual([
      400,
      'audio_url is not enabled on this server.',
    ]);
    await plain.close();
    expect(other.seen).toEqual([]);
    expect(() => loadConfig({ FETCH_AUDIO_URLS: 'yes' })).toThrow('FETCH_AUDIO_URLS must be on or off.');
    expect(loadConfig({}).fetchAudioUrls).toBe(false);
  });
});

describe('where this server connects to', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.127.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    'fe80::1',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
    '4000::1',
    'example.com',
    '',
    '127.1',
  ])('not to %s', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '198.20.0.1',
    '2606:4700:4700::1111',
    '2a00:1450::1',
    '2001:4860:4860::8888',
  ])('to %s', (address) => expect(isPublicAddress(address)).toBe(true));

  it('a name that changes its meaning between check and connection gains nothing: it is resolved once, and that is where the connection goes', async () => {
    let asked = 0;
    const outgoing = createOutgoing({
      allow: onLoopback,
      resolve: () => Promise.resolve([(asked += 1) === 1 ? '127.0.0.1' : '127.0.0.2']),
    });
    const response = await outgoing.request(new URL(`http://rebinding.example:${other.port}/a`), {
      method: 'GET',
      headers: {},
      signal: new AbortController().signal,
    });
    expect([response.statusCode, response.socket.remoteAddress, asked]).toEqual([200, '127.0.0.1', 1]);
    response.destroy();
    expect(other.seen[0]?.headers.host).toBe(`rebinding.example:${other.port}`);
  });

  it('of several addresses of a name only allowed ones are tried', async () => {
    const ask = (addresses: string[]) =>
      createOutgoing({ allow: onLoopback, resolve: () => Promise.resolve(addresses) }).request(
        new URL(`http://mixed.example:${other.port}/`),
        { method: 'GET', headers: {}, signal: new AbortController().signal },
      );
    const response = await ask(['10.0.0.1', '::1', '127.0.0.1']);
    expect(response.socket.remoteAddress).toBe('127.0.0.1');
    response.destroy();
    await expect(ask(['10.0.0.1', '::1'])).rejects.toBeInstanceOf(NotAllowed);
    await expect(ask([])).rejects.toBeInstanceOf(NotAllowed);
  });

  it('by default a name of this machine is refused', async () => {
    await expect(
      createOutgoing().request(new URL(`http://localhost:${other.port}/`), {
        method: 'GET',
        headers: {},
        signal: new AbortController().signal,
      }),
    ).rejects.toBeInstanceOf(NotAllowed);
    expect(other.seen).toEqual([]);
  });

  it('a resolver that never answers is left when time is up', async () => {
    const up = new AbortController();
    const waiting = createOutgoing({ resolve: () => new Promise(() => {}) }).request(new URL('http://slow.example/'), {
      method: 'GET',
      headers: {},
      signal: up.signal,
    });
    up.abort(new Error('time is up'));
    await expect(waiting).rejects.toThrow('time is up');
  });
});

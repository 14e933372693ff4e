import { readdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FilePage } from '#contract/files.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import { loadConfig } from '#server/platform/config.ts';
import { removeOrphans } from '#server/speech-api/files/orphans.ts';
import { createOutgoing, NotAllowed, type Outgoing } from '#server/platform/outgoing/client.ts';
import { FETCH_AUDIO, FETCH_TRIES, filenameOf } from '#server/speech-api/transcriptions/fetch.ts';
import { eventually } from '../../eventually.ts';
import { consoleClient, MODEL, refusal } from '../client.ts';
import { refusalOf, startSpeechServer } from '../harness.ts';
import { onLoopback, startOther } from '../../outgoing-servers.ts';
import { transcriptionFixture } from './fixture.ts';

const MAX_BYTES = 100_000;
const on = transcriptionFixture({ maxUploadBytes: MAX_BYTES });
const { call, create: post, reaches, read, transcript } = consoleClient(() => on);
const create = (url = `${on.other.url}/a.wav`): Promise<Transcription> => post({ audio_url: url, file_id: null });
const failed = async (url?: string): Promise<Transcription> => reaches((await create(url)).id, 'error');
const done = async (url?: string): Promise<Transcription> => reaches((await create(url)).id, 'completed');
const UNREACHABLE = { error_type: 'audio_url_unreachable' };
const stored = (): Promise<string[]> => readdir(join(on.server.dataDir, 'files'));

describe('a recording at an address', () => {
  it('is fetched and transcribed; nothing of it stays but the transcript', async () => {
    const url = `${on.other.url}/talks/first%20one.wav?token=1`;
    const made = await create(url);
    expect(made).toMatchObject({ status: 'queued', audio_url: url, file_id: null, filename: 'first one.wav' });
    const ended = { audio_url: url, file_id: null, audio_duration_ms: 1000 };
    expect(await reaches(made.id, 'completed')).toMatchObject(ended);
    expect((await transcript(made.id)).text).toBe(' Hello world');
    expect(on.other.seen).toMatchObject([{ method: 'GET', path: '/talks/first%20one.wav?token=1' }]);
    await eventually(async () => expect(await stored()).toEqual([]));
    expect((await read(FilePage, '/files')).files).toEqual([]);
  });

  it.each([
    ['https://example.com/a/b/talk.mp3', 'talk.mp3'],
    ['https://example.com/', 'file'],
    ['https://example.com/a%2Fb%2Ftalk.mp3?x=/y.wav#z', 'talk.mp3'],
    ['https://example.com/100%.wav', '100%.wav'],
    ['https://example.com/%E4%BC%9A%E8%AD%B0.flac', '会議.flac'],
  ])('%s is called %s', (url, name) => expect(filenameOf(url)).toBe(name));

  it('redirects are followed, to five of them', async () => {
    on.answer = ({ path }, response) => {
      const left = Number(path.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
      else response.writeHead(200).end('RIFF');
    };
    await done(`${on.other.url}/5`);
    expect(await failed(`${on.other.url}/6`)).toMatchObject(UNREACHABLE);
  });

  it('what is kept for a transcription under way is no orphan; what nobody needs any more is', async () => {
    const closed = on.closeGate();
    const made = await create(`${on.other.url}/a.wav`);
    await reaches(made.id, 'processing');
    on.server.advance(7_200_000);
    expect(await removeOrphans(on.server.speech)).toBe(0);
    expect(await stored()).toEqual([made.id]);
    await on.server.services.db
      .updateTable('transcriptions')
      .set({ status: 'error' })
      .where('id', '=', made.id)
      .execute();
    expect(await removeOrphans(on.server.speech)).toBe(1);
    on.server.advance(-7_200_000);
    closed.open();
  });

  it('only so many are kept at once: the next ones are fetched when there is room, without losing a try', async () => {
    const closed = on.closeGate();
    const jobs = on.server.services.db.selectFrom('jobs').selectAll();
    const ids: string[] = [];
    for (let n = 1; n <= 8; n += 1) {
      ids.push((await create(`${on.other.url}/${n}.wav`)).id);
      await eventually(async () => expect(await stored()).toHaveLength(n));
    }
    await eventually(async () => expect(await jobs.where('kind', '=', FETCH_AUDIO).execute()).toEqual([]));
    const { id } = await create(`${on.other.url}/9.wav`);
    const job = jobs.where('subject', '=', id);
    const asked = (await job.executeTakeFirstOrThrow()).run_at.getTime();
    await eventually(async () => {
      const waiting = await job.executeTakeFirstOrThrow();
      expect(waiting).toMatchObject({ kind: FETCH_AUDIO, state: 'ready', attempts: 0 });
      expect(waiting.run_at.getTime()).toBeGreaterThan(asked);
    });
    expect(on.other.seen).toHaveLength(8);
    closed.open();
    for (const each of [...ids, id]) await reaches(each, 'completed');
    expect(on.other.seen).toHaveLength(9);
  });

  it('one that is deleted while it is fetched is not transcribed', async () => {
    const held: ServerResponse[] = [];
    on.answer = (_seen, response) => {
      response.writeHead(200).write('RI');
      held.push(response);
    };
    const before = on.server.engine.transcriptions;
    const made = await create();
    await eventually(() => expect(held).toHaveLength(1));
    expect((await call('DELETE', `/transcriptions/${made.id}`)).status).toBe(204);
    held[0]?.end('FF');
    on.answer = (_seen, response) => response.writeHead(200).end('RIFF');
    await done();
    expect(on.server.engine.transcriptions - before).toBe(1);
  });
});

describe('what cannot be fetched', () => {
  it.each([404, 403, 410, 204])('status %i fails at once', async (status) => {
    on.answer = (_seen, response) => response.writeHead(status).end();
    expect(await failed()).toMatchObject({
      ...UNREACHABLE,
      error_message: `The file behind audio_url could not be fetched. The server answered with status ${status}.`,
    });
    expect(on.other.seen).toHaveLength(1);
  });

  it('a server that cannot now is asked again', async () => {
    on.answer = (_seen, response) => response.writeHead(on.other.seen.length < FETCH_TRIES ? 503 : 200).end('RIFF');
    await done();
  });

  it('a server that breaks off is asked again, then the transcription fails; no part stays', async () => {
    on.answer = (_seen, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('RIFF', () => response.destroy());
    };
    expect(await failed()).toMatchObject(UNREACHABLE);
    expect(on.other.seen).toHaveLength(FETCH_TRIES);
    expect((await stored()).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('a host that nobody listens on', async () => {
    const dead = await startOther(() => {});
    await dead.close();
    expect(await failed(dead.url)).toMatchObject({
      ...UNREACHABLE,
      error_message: 'The file behind audio_url could not be fetched: its server does not answer.',
    });
  });

  it('the largest file is taken; a larger one is refused, whether its server says how large it is or not', async () => {
    const largest = Buffer.alloc(MAX_BYTES);
    on.answer = (_seen, response) => response.writeHead(200).end(largest);
    await done();
    await eventually(async () => expect(await stored()).toEqual([]));
    for (const headers of [{ 'content-length': MAX_BYTES + 1 }, {}]) {
      on.answer = (_seen, response) => {
        response.writeHead(200, headers).write(largest);
        response.end('x');
      };
      expect(await failed()).toMatchObject({
        error_type: 'file_too_large',
        error_message: `The file behind audio_url is larger than ${MAX_BYTES} bytes.`,
      });
      expect(await stored()).toEqual([]);
    }
  });

  it('an address that leads inside, by itself or by a redirect', async () => {
    const error_message = 'The audio_url does not lead to a server on the public internet.';
    on.answer = ({ path }, response) => response.writeHead(302, { location: decodeURIComponent(path.slice(1)) }).end();
    for (const url of [
      'http://127.0.0.2/a.wav',
      'http://[::1]/a.wav',
      'http://169.254.169.254/latest/meta-data',
      'http://2130706434/a.wav',
      'http://0x7f.2/a.wav',
      ...['http://127.0.0.2/', 'http://[::ffff:127.0.0.1]/', 'file:///etc/passwd', 'ftp://127.0.0.1/'].map(
        (location) => `${on.other.url}/${encodeURIComponent(location)}`,
      ),
    ])
      expect(await failed(url)).toMatchObject({ audio_url: url, error_type: 'audio_url_not_allowed', error_message });
  });
});

describe('whether it is possible at all', () => {
  it.each([
    ['another protocol', 'ftp://example.com/a.wav', 'regex'],
    ['blanks', 'https://example.com/a b.wav', 'regex'],
    ['no host', 'https://?', 'invalid'],
    ['4097 characters', `https://example.com/${'x'.repeat(4077)}`, 'max_length'],
  ])('refuses %s', async (_name, audio_url, error_type) => {
    const response = await call('POST', '/transcriptions', { model: MODEL, audio_url });
    expect(response.status).toBe(400);
    expect((await refusalOf(response)).validation_errors).toMatchObject([
      { location: 'body.payload.audio_url', error_type },
    ]);
  });

  it('is off unless the operator turns it on', async () => {
    const plain = await startSpeechServer();
    const owner = await plain.createUser();
    const { post: ask } = consoleClient(() => ({ server: plain, user: owner }));
    const refused = await ask({ file_id: null, audio_url: `${on.other.url}/a.wav` });
    expect(await refusal(refused)).toEqual([400, 'invalid_request', 'audio_url is not enabled on this server.']);
    await plain.close();
    expect(on.other.seen).toEqual([]);
    expect(() => loadConfig({ FETCH_AUDIO_URLS: 'yes' })).toThrow('FETCH_AUDIO_URLS must be on or off.');
    expect(loadConfig({}).fetchAudioUrls).toBe(false);
  });
});

describe('where this server connects to', () => {
  const ask = (outgoing: Outgoing, url: string, signal = new AbortController().signal) =>
    outgoing.request(new URL(url), { method: 'GET', headers: {}, signal });

  it('of several addresses of a name only allowed ones are tried', async () => {
    const named = (addresses: string[]) =>
      ask(
        createOutgoing({ allow: onLoopback, resolve: () => Promise.resolve(addresses) }),
        `http://mixed.example:${on.other.port}/`,
      );
    const response = await named(['10.0.0.1', '::1', '127.0.0.1']);
    expect(response.socket.remoteAddress).toBe('127.0.0.1');
    response.destroy();
    expect(on.other.seen[0]?.headers.host).toBe(`mixed.example:${on.other.port}`);
    await expect(named(['10.0.0.1', '::1'])).rejects.toBeInstanceOf(NotAllowed);
    await expect(named([])).rejects.toBeInstanceOf(NotAllowed);
  });

  it('a resolver that never answers is left when time is up', async () => {
    const up = new AbortController();
    const waiting = ask(
      createOutgoing({ allow: onLoopback, resolve: () => new Promise(() => {}) }),
      'http://slow.example/',
      up.signal,
    );
    up.abort(new Error('time is up'));
    await expect(waiting).rejects.toThrow('time is up');
  });
});

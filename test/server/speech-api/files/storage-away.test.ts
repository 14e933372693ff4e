/** A storage of recordings that does not answer, or has lost one, as clients and jobs see it. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import { FileUrl } from '#contract/files.ts';
import { Transcription } from '#contract/transcriptions.ts';
import { noLongerStored, StorageError } from '#server/platform/storage/port.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { call, refusalOf, startSpeechServer, upload, uploaded, type SpeechServer } from '../harness.ts';
import { onLoopback, startOther, type OtherServer } from '../../outgoing-servers.ts';

const HOUR_MS = 3_600_000;
let server: SpeechServer;
let user: TestUser;
let other: OtherServer;
beforeAll(async () => {
  other = await startOther((_seen, response) => response.end('RIFF'));
  server = await startSpeechServer({
    outgoing: { allow: onLoopback },
    server: { env: { FETCH_AUDIO_URLS: 'on' } },
  });
});
afterAll(async () => {
  await server.close();
  await other.close();
});

/** Until `restore` of what it returns. */
const breakStorage = (
  names: readonly ('put' | 'open' | 'remove' | 'checkout')[],
  error: () => Error = () => new StorageError('unavailable', 'The storage of recordings does not answer just now.'),
) => {
  const spies = names.map((name) =>
    vi.spyOn(server.speech.storage, name).mockImplementation(() => Promise.reject(error())),
  );
  return { spies, restore: () => spies.forEach((spy) => spy.mockRestore()) };
};
const transcribe = async (of: object): Promise<Transcription> =>
  v.parse(
    Transcription,
    await (await call(server, user, 'POST', '/transcriptions', { model: 'parlance-async-1', ...of })).json(),
  );
const stateOf = (id: string) =>
  server.services.db
    .selectFrom('transcriptions')
    .select(['status', 'error_type', 'error_message'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
const jobsOf = (id: string) =>
  server.services.db.selectFrom('jobs').select(['state', 'attempts']).where('subject', '=', id).execute();

/** It was tried, and waits for its next time. */
async function isPutOff(id: string): Promise<void> {
  const { db, clock } = server.services;
  const { run_at } = await db.selectFrom('jobs').select('run_at').where('subject', '=', id).executeTakeFirstOrThrow();
  expect(run_at.getTime()).toBeGreaterThan(clock().getTime());
  expect(await jobsOf(id)).toEqual([{ state: 'ready', attempts: 0 }]);
}

describe('OPS-47 requests while the storage does not answer', () => {
  beforeAll(async () => {
    user = await server.createUser();
  });

  it('OPS-47: are refused with 503 and a time to come back; then the next one is answered', async () => {
    const file = await uploaded(server, user);
    const { url } = v.parse(FileUrl, await (await call(server, user, 'GET', `/files/${file.id}/url`)).json());
    const requests: (() => Promise<Response>)[] = [
      () => upload(server, user, new Uint8Array(900_000)),
      () => fetch(url),
      () => fetch(url, { headers: { range: 'bytes=1-2' } }),
      () => call(server, user, 'POST', '/samples/meeting-notes'),
    ];
    const { restore } = breakStorage(['put', 'open']);
    for (const request of requests) {
      const response = await request();
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await refusalOf(response)).toMatchObject({
        error_type: 'service_unavailable',
        message: 'The storage of recordings does not answer just now. Please try again in a moment.',
      });
    }
    restore();
    for (const request of requests) expect((await request()).status).toBeLessThan(300);
  });

  it('OPS-47: a recording that is no longer stored is told as missing', async () => {
    const file = await uploaded(server, user);
    const { url } = v.parse(FileUrl, await (await call(server, user, 'GET', `/files/${file.id}/url`)).json());
    await server.speech.storage.remove(file.id);
    const response = await fetch(url);
    expect(response.status).toBe(404);
    expect(await refusalOf(response)).toMatchObject({
      error_type: 'file_not_found',
      message: 'The recording is no longer stored.',
    });
  });

  it('OPS-47: what is deleted meanwhile is deleted, and its bytes go when the storage is back', async () => {
    const { id } = await uploaded(server, user);
    const { spies, restore } = breakStorage(['remove']);
    expect((await call(server, user, 'DELETE', `/files/${id}`)).status).toBe(204);
    expect((await call(server, user, 'GET', `/files/${id}`)).status).toBe(404);
    await eventually(async () => expect(await jobsOf(id)).toEqual([{ state: 'ready', attempts: 0 }]));
    expect(spies[0]).toHaveBeenCalled();
    restore();
    expect(await server.speech.storage.exists(id)).toBe(true);
    server.advance(31_000);
    await eventually(async () => expect(await server.speech.storage.exists(id)).toBe(false));
    await eventually(async () => expect(await jobsOf(id)).toEqual([]));
  });
});

describe('OPS-48 transcriptions', () => {
  beforeAll(async () => {
    user = await server.createUser();
  });

  it.each<[string, 'checkout' | 'put', () => Promise<object>]>([
    ['of a file', 'checkout', async () => ({ file_id: (await uploaded(server, user)).id })],
    ['of an address', 'put', async () => ({ audio_url: `${other.url}/talk.wav` })],
  ])('OPS-48: %s wait while the storage does not answer, without a try that counts', async (_what, call_, of) => {
    const what = await of();
    const { spies, restore } = breakStorage([call_]);
    const { id } = await transcribe(what);
    for (const times of [1, 2, 3]) {
      await eventually(() => expect(spies[0]).toHaveBeenCalledTimes(times));
      await eventually(async () => expect(await jobsOf(id)).toEqual([{ state: 'ready', attempts: 0 }]));
      expect(await stateOf(id)).toMatchObject({ status: 'queued', error_type: null });
      if (times < 3) server.advance(15_000);
    }
    restore();
    server.advance(15_000);
    await eventually(async () => expect(await stateOf(id)).toMatchObject({ status: 'completed' }));
  });

  it('OPS-48: one whose recording is gone is tried again, then failed with that reason', async () => {
    const { id: file_id } = await uploaded(server, user);
    const { spies, restore } = breakStorage(['checkout'], noLongerStored);
    const { id } = await transcribe({ file_id });
    await eventually(async () =>
      expect(await stateOf(id)).toEqual({
        status: 'error',
        error_type: 'file_not_found',
        error_message: 'The recording is no longer stored.',
      }),
    );
    expect(spies[0]).toHaveBeenCalledTimes(5);
    restore();
  });

  it.each<[string, 'checkout' | 'put', () => Promise<object>]>([
    ['of a file', 'checkout', async () => ({ file_id: (await uploaded(server, user)).id })],
    ['of an address', 'put', async () => ({ audio_url: `${other.url}/talk.wav` })],
  ])('OPS-48: %s that have waited in the queue for hours wait on, too', async (_what, call_, of) => {
    const what = await of();
    const { db, clock } = server.services;
    const { spies, restore } = breakStorage([call_]);
    const { id } = await transcribe(what);
    await eventually(() => isPutOff(id));
    // As if nobody had come to it for so long.
    const long = new Date(clock().getTime() - 7 * HOUR_MS);
    await db.updateTable('transcriptions').set({ created_at: long, begun_at: long }).where('id', '=', id).execute();
    server.advance(15_000);
    await eventually(() => expect(spies[0]).toHaveBeenCalledTimes(2));
    await eventually(() => isPutOff(id));
    restore();
    server.advance(15_000);
    await eventually(async () => expect(await stateOf(id)).toMatchObject({ status: 'completed' }));
  });

  it('OPS-48: a storage that is away for hours fails them with that reason', async () => {
    const { id: file_id } = await uploaded(server, user);
    const { restore } = breakStorage(['checkout', 'put']);
    const ids = [(await transcribe({ file_id })).id, (await transcribe({ audio_url: `${other.url}/a.wav` })).id];
    for (const id of ids) await eventually(() => isPutOff(id));
    server.advance(7 * HOUR_MS);
    for (const id of ids)
      await eventually(async () =>
        expect(await stateOf(id)).toEqual({
          status: 'error',
          error_type: 'service_unavailable',
          error_message: 'The storage of recordings could not be reached. Please try again later.',
        }),
      );
    restore();
  });
});

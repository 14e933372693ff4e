/** A storage of recordings that does not answer, or has lost one, as clients and jobs see it. */
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { FileUrl } from '#contract/files.ts';
import type { Db } from '#server/platform/db/database.ts';
import { notStored, StorageError } from '#server/platform/storage/port.ts';
import { eventually } from '../../eventually.ts';
import { consoleClient } from '../client.ts';
import { refusalOf, upload } from '../harness.ts';
import { transcriptionFixture } from '../transcriptions/fixture.ts';

const HOUR_MS = 3_600_000;
const LOST = 'The bytes of the file cannot be found in the storage of this server.';
const NOT_FOUND = 'the bytes of a file cannot be found';
/** What becomes of the four bytes of a file, what people are told of that, and operators. */
const DAMAGES = (
  [
    ['nothing', ''],
    ['all but one', 'RIF'],
    ['more', 'RIFFs'],
  ] as const
).map(
  ([what, content]) =>
    [
      what,
      (id: string) => on.server.speech.storage.put(id, Readable.from([content])),
      content.length < 4
        ? `The bytes of the file are not whole: ${content.length} of 4 are in the storage of this server.`
        : 'The bytes of the file are not those that came: 5 in place of 4 are in the storage of this server.',
      'the bytes of a file are not as many as came',
    ] as const,
);
const REMOVED = ['no object', (id: string) => on.server.speech.storage.remove(id), LOST, NOT_FOUND] as const;
const on = transcriptionFixture({ jobs: { pollMs: 20 } });

/** Until `restore` of what it returns. */
const breakStorage = (
  names: readonly ('put' | 'open' | 'remove' | 'checkout')[],
  error: () => Error = () => new StorageError('unavailable', 'The storage of recordings does not answer just now.'),
) => {
  const spies = names.map((name) =>
    vi.spyOn(on.server.speech.storage, name).mockImplementation(() => Promise.reject(error())),
  );
  return { spies, restore: () => spies.forEach((spy) => spy.mockRestore()) };
};
const { call, create, read, statusOf, stored } = consoleClient(() => on);
const urlOf = async (id: string): Promise<string> => (await read(FileUrl, `/files/${id}/url`)).url;
const ofFile = async () => ({ file_id: (await stored()).id });
const ofAddress = () => Promise.resolve({ file_id: null, audio_url: `${on.other.url}/talk.wav` });
const stateOf = (id: string) =>
  on.server.services.db
    .selectFrom('transcriptions')
    .select(['status', 'error_type', 'error_message'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
const costOf = (db: Db, id: string) =>
  db.selectFrom('usage_rows').select(['status', 'audio_ms', 'cost_micros']).where('id', '=', id).execute();
/** It was tried, and waits for its next time without a try that counts. */
async function isPutOff(id: string): Promise<void> {
  const { db, clock } = on.server.services;
  const { run_at } = await db.selectFrom('jobs').select('run_at').where('subject', '=', id).executeTakeFirstOrThrow();
  expect(run_at.getTime()).toBeGreaterThan(clock().getTime());
  expect(await on.jobsOf(id)).toMatchObject([{ state: 'ready', attempts: 0 }]);
}

describe('OPS-47 requests while the storage does not answer', () => {
  it('OPS-47: are refused with 503 and a time to come back; then the next one is answered', async () => {
    const url = await urlOf((await stored()).id);
    const requests: (() => Promise<Response>)[] = [
      () => upload(on.server, on.user, new Uint8Array(900_000)),
      () => fetch(url),
      () => fetch(url, { headers: { range: 'bytes=1-2' } }),
      () => call('POST', '/samples/meeting-notes'),
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

  it.each([REMOVED, ...DAMAGES])(
    'OPS-47: a file of whose bytes %s is left, its address and every part of it are refused with what is wrong',
    async (_what, damage, message, logged) => {
      const { id } = await stored();
      const url = await urlOf(id);
      const error = vi.spyOn(on.server.services.log, 'error');
      await damage(id);
      const asking = ['bytes=1-2', 'bytes=3-'].map((range) => () => fetch(url, { headers: { range } }));
      for (const ask of [() => call('GET', `/files/${id}/url`), () => fetch(url), ...asking]) {
        error.mockClear();
        const response = await ask();
        expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
        expect(await refusalOf(response)).toMatchObject({ error_type: 'service_unavailable', message });
        expect(error).toHaveBeenCalledWith({ file: id }, logged);
      }
      expect((await fetch(url, { method: 'HEAD' })).status).toBe(503);
      error.mockRestore();
    },
  );

  it('OPS-47: bytes of a file that was deleted meanwhile are told as deleted', async () => {
    const { id } = await stored();
    const url = await urlOf(id);
    const { spies, restore } = breakStorage(['open']);
    spies[0]?.mockImplementation(async () => {
      await statusOf('DELETE', `/files/${id}`);
      throw notStored();
    });
    const response = await fetch(url);
    expect([response.status, (await refusalOf(response)).error_type]).toEqual([404, 'file_not_found']);
    restore();
  });

  it('OPS-47: what is deleted meanwhile is deleted, and its bytes go when the storage is back', async () => {
    const { id } = await stored();
    const { spies, restore } = breakStorage(['remove']);
    expect(await statusOf('DELETE', `/files/${id}`)).toBe(204);
    expect(await statusOf('GET', `/files/${id}`)).toBe(404);
    await eventually(async () => expect(await on.jobsOf(id)).toMatchObject([{ state: 'ready', attempts: 0 }]));
    expect(spies[0]).toHaveBeenCalled();
    restore();
    expect(await on.server.speech.storage.exists(id)).toBe(true);
    on.server.advance(31_000);
    await eventually(async () => expect(await on.server.speech.storage.exists(id)).toBe(false));
    await eventually(async () => expect(await on.jobsOf(id)).toEqual([]));
  });
});

describe('OPS-48 transcriptions', () => {
  it.each([
    ['of a file', 'checkout', ofFile],
    ['of an address', 'put', ofAddress],
  ] as const)(
    'OPS-48: %s wait while the storage does not answer, without a try that counts, also after hours in the queue',
    async (_what, step, of) => {
      const { db, clock } = on.server.services;
      const what = await of();
      const { spies, restore } = breakStorage([step]);
      const { id } = await create(what);
      for (const times of [1, 2, 3]) {
        await eventually(() => expect(spies[0]).toHaveBeenCalledTimes(times));
        await eventually(() => isPutOff(id));
        expect(await stateOf(id)).toMatchObject({ status: 'queued', error_type: null });
        // As if nobody had come to it for so long.
        const long = new Date(clock().getTime() - 7 * HOUR_MS);
        if (times === 2)
          await db
            .updateTable('transcriptions')
            .set({ created_at: long, begun_at: long })
            .where('id', '=', id)
            .execute();
        if (times === 3) restore();
        on.server.advance(15_000);
      }
      await eventually(async () => expect(await stateOf(id)).toMatchObject({ status: 'completed' }));
    },
  );

  it('OPS-48: one whose bytes are missing is tried again, then failed with that reason, and costs nothing', async () => {
    const { db, log } = on.server.services;
    const error = vi.spyOn(log, 'error');
    for (const of of [ofFile, ofAddress]) {
      const what = await of();
      const { spies, restore } = breakStorage(['checkout'], notStored);
      const { id } = await create(what);
      await eventually(async () =>
        expect(await stateOf(id)).toEqual({ status: 'error', error_type: 'service_unavailable', error_message: LOST }),
      );
      expect(spies[0]).toHaveBeenCalledTimes(5);
      const [file] = spies[0]?.mock.calls[0] ?? [];
      expect(error).toHaveBeenCalledWith({ file }, NOT_FOUND);
      expect(await costOf(db, id)).toEqual([{ status: 'failed', audio_ms: 0, cost_micros: 0 }]);
      restore();
    }
    error.mockRestore();
  });

  it.each(DAMAGES)(
    'OPS-48: one of whose bytes %s is left is tried again, then failed with that reason, and costs nothing',
    async (_what, damage, error_message, logged) => {
      const { db, log } = on.server.services;
      const error = vi.spyOn(log, 'error');
      const what = await ofFile();
      await damage(what.file_id);
      const { id } = await create(what);
      await eventually(async () =>
        expect(await stateOf(id)).toEqual({ status: 'error', error_type: 'service_unavailable', error_message }),
      );
      expect(error.mock.calls.filter(([, text]) => String(text) === logged)).toHaveLength(5);
      expect(await costOf(db, id)).toEqual([{ status: 'failed', audio_ms: 0, cost_micros: 0 }]);
      error.mockRestore();
    },
  );

  it('OPS-48: one whose bytes are there again goes on', async () => {
    const what = await ofFile();
    const { spies, restore } = breakStorage(['checkout'], notStored);
    const { id } = await create(what);
    await eventually(() => expect(spies[0]).toHaveBeenCalled());
    restore();
    await eventually(async () => expect(await stateOf(id)).toMatchObject({ status: 'completed' }));
  });

  it('OPS-48: one whose file is deleted while its bytes are missing is told that', async () => {
    const what = await ofFile();
    const { spies, restore } = breakStorage(['checkout'], notStored);
    spies[0]?.mockImplementation(async () => {
      if (spies[0]?.mock.calls.length === 5) await statusOf('DELETE', `/files/${what.file_id}`);
      throw notStored();
    });
    const { id } = await create(what);
    await eventually(async () =>
      expect(await stateOf(id)).toEqual({
        status: 'error',
        error_type: 'file_not_found',
        error_message: 'The file was deleted before it could be transcribed.',
      }),
    );
    restore();
  });

  it('OPS-48: a storage that is away for hours fails them with that reason', async () => {
    const all = [await ofFile(), await ofAddress()];
    const { restore } = breakStorage(['checkout', 'put']);
    const ids = (await Promise.all(all.map(create))).map(({ id }) => id);
    for (const id of ids) await eventually(() => isPutOff(id));
    on.server.advance(7 * HOUR_MS);
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

/** Recordings that hold more than they say, or say nothing: what is heard of them passes no limit. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EngineError, type TranscribeOptions } from '#server/engine/port.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { readMonth, type Amount } from '#server/money/limits/month.ts';
import { LengthReservation } from '#server/speech-api/transcriptions/length-reservation.ts';
import { eventually } from '../../eventually.ts';
import { SPOKEN } from '../../fake-engine.ts';
import { useUp } from '../../money/usage/usage.ts';
import { consoleClient } from '../client.ts';
import { setLimit } from '../harness.ts';
import { deferred, turn } from '../live/live-harness.ts';
import { transcriptionFixture } from './fixture.ts';

const CREDIT = 10_000_000;
const NOTHING: Amount = { ms: 0, micros: 0 };
/** What so many seconds cost, micro-USD. */
const priceOf = (seconds: number): number => Math.round((seconds * 100_000) / 3600);

const on = transcriptionFixture({}, { SPEECH_PRICES: 'async=0.10' });
let fileId: string;
/** Until it is resolved no recording is done. */
let blocked = deferred();
beforeEach(async () => {
  blocked = deferred();
  fileId = (await client().stored()).id;
});
afterEach(() => blocked.resolve());

const client = () => consoleClient(() => on);
const create = () => client().create({ file_id: fileId });
const budget = (micros: number): Promise<void> => setLimit(on.server, on.user, 'organization', 'budget_micros', micros);
const taken = async (): Promise<{ used: Amount; reserved: Amount }> => {
  const { used, reserved } = await readMonth(on.server.services.db, on.user, on.server.services.clock());
  return { used: used.organization, reserved: reserved.organization };
};
const knownLength = async (): Promise<number> => {
  const { db } = on.server.services;
  const row = await db.selectFrom('files').select('length_ms').where('id', '=', fileId).executeTakeFirstOrThrow();
  return Number(row.length_ms);
};
/** An engine that tells again and again how far it is, until it is told to leave off. */
async function unlessAborted({ signal, onProgress }: TranscribeOptions, ms: number): Promise<never> {
  while (signal?.aborted === false) {
    onProgress?.(ms);
    await turn();
  }
  throw new EngineError('aborted', 'It was cancelled.');
}
const REFUSED = {
  error_type: 'organization_monthly_budget_exhausted',
  error_message: 'Organization monthly budget exhausted. Please increase it.',
  cost_usd: '0',
};

describe('LIM-15: what goes on beyond the length of its recording', () => {
  it.each([undefined, 1])('is reserved by the minute as it is heard, and completes (it says %s s)', async (length) => {
    await budget(priceOf(700));
    Object.assign(on, { length, sound: 600 });
    on.transcribe = async ({ onProgress }) => {
      onProgress?.(600_000);
      await blocked.promise;
      return SPOKEN;
    };
    const { id } = await create();
    await eventually(async () => expect((await taken()).reserved).toEqual({ ms: 660_000, micros: priceOf(660) }));
    blocked.resolve();
    await client().reaches(id, 'completed');
    expect(await taken()).toEqual({ used: { ms: 600_000, micros: priceOf(600) }, reserved: NOTHING });
    expect(await knownLength()).toBe(600_000);
  });

  it('ends where there is no more like what is refused, and costs nothing', async () => {
    await budget(17_000);
    on.transcribe = async (options) => {
      options.onProgress?.(600_000);
      await blocked.promise;
      return unlessAborted(options, 613_000);
    };
    const { id } = await create();
    // Of another minute there is room for a part.
    await eventually(async () => expect((await taken()).reserved).toEqual({ ms: 612_000, micros: 17_000 }));
    blocked.resolve();
    expect(await client().reaches(id, 'error')).toMatchObject(REFUSED);
    expect(await taken()).toEqual({ used: NOTHING, reserved: NOTHING });
    expect(await client().statusOf('GET', `/transcriptions/${id}/transcript`)).not.toBe(200);
  });

  it('ends where the balance has no more', async () => {
    const { db, clock } = on.server.services;
    await useUp(db, on.user, CREDIT - priceOf(60), clock());
    on.transcribe = (options) => unlessAborted(options, 61_000);
    const { id } = await create();
    expect(await client().reaches(id, 'error')).toMatchObject({ error_type: 'organization_balance_exhausted' });
  });

  it('is no transcript of an engine that goes on all the same', async () => {
    await budget(priceOf(60));
    Object.assign(on, { sound: 90 });
    on.transcribe = ({ onProgress }) => {
      onProgress?.(90_000);
      return Promise.resolve(SPOKEN);
    };
    const { id } = await create();
    expect(await client().reaches(id, 'error')).toMatchObject(REFUSED);
    expect(await taken()).toEqual({ used: NOTHING, reserved: NOTHING });
  });

  it('and of which no progress told is reserved to the millisecond at its end, or refused: many together pass no budget', async () => {
    await budget(priceOf(200));
    Object.assign(on, { length: 1, sound: 90 });
    const files = await Promise.all(Array.from({ length: 6 }, () => client().stored()));
    on.transcribe = async () => (await blocked.promise, SPOKEN);
    const begun = await Promise.all(files.map(({ id }) => client().create({ file_id: id })));
    expect((await taken()).reserved.ms).toBe(6000);
    blocked.resolve();
    const ends = await Promise.all(
      begun.map(({ id }) =>
        eventually(async () => {
          const { status } = await client().get(id);
          expect(status).toMatch(/completed|error/);
          return status;
        }),
      ),
    );
    expect(ends.filter((status) => status === 'completed')).toHaveLength(2);
    expect(await taken()).toEqual({ used: { ms: 180_000, micros: 2 * priceOf(90) }, reserved: NOTHING });
  });

  it('is reserved from the beginning the next time, whatever the recording says', async () => {
    Object.assign(on, { length: 1, sound: 90 });
    fileId = (await client().stored()).id;
    expect(await knownLength()).toBe(1000);
    await client().reaches((await create()).id, 'completed');
    expect(await knownLength()).toBe(90_000);
    const heard = deferred();
    on.transcribe = async () => {
      heard.resolve();
      await blocked.promise;
      return SPOKEN;
    };
    const { id } = await create();
    expect((await taken()).reserved.ms).toBe(90_000);
    await heard.promise;
    expect((await taken()).reserved.ms).toBe(90_000);
    expect(await knownLength()).toBe(90_000);
    blocked.resolve();
    await client().reaches(id, 'completed');
    await budget(priceOf(270) - 1);
    expect((await client().post({ file_id: fileId })).status).toBe(402);
  });

  it('stays reserved where a worker that has lost it asks for less', async () => {
    const { db } = on.server.services;
    const gate = on.closeGate();
    const { id } = await create();
    await client().reaches(id, 'processing');
    const row = await db.selectFrom('transcriptions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const parts = { ...on.server.services, limitDefaults: LIMIT_DEFAULTS };
    const [lost, successor] = [new LengthReservation(parts, row), new LengthReservation(parts, row)];
    await successor.declare(600_000);
    lost.extendTo(61_000);
    await lost.settle(70_000);
    expect((await taken()).reserved).toEqual({ ms: 600_000, micros: priceOf(600) });
    gate.open();
    await client().reaches(id, 'completed');
  });

  it('is tried again where the database fails', async () => {
    const { db } = on.server.services;
    Object.assign(on, { sound: 90 });
    let runs = 0;
    on.transcribe = async ({ onProgress }) => {
      runs += 1;
      if (runs > 1) await sql`drop function fail_to_grow cascade`.execute(db);
      onProgress?.(90_000);
      return SPOKEN;
    };
    await sql`create function fail_to_grow() returns trigger language plpgsql
      as $$ begin raise exception 'no room on the disk' using errcode = '53100'; end $$`.execute(db);
    await sql`create trigger fail_to_grow before update of reserved_ms on transcriptions
      for each row execute function fail_to_grow()`.execute(db);
    const { id } = await create();
    await client().reaches(id, 'completed');
    expect(runs).toBe(2);
    expect((await taken()).used.ms).toBe(90_000);
  });
});

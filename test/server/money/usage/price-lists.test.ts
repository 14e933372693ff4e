import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Db } from '#server/platform/db/database.ts';
import { databaseNow, followDatabase } from '#server/platform/db/now.ts';
import { parsePrices, type Prices } from '#server/platform/prices.ts';
import { storePrices, pricesAt } from '#server/money/usage/price-lists.ts';
import { abortLiveSessions, endLiveSession, recordTranscription } from '#server/money/usage/record.ts';
import { costOfRequest } from '#server/money/usage/rows.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { GateKeeper } from '#server/speech-api/live/gate.ts';
import { createSpeechServices } from '#server/speech-api/services.ts';
import { createTranscription } from '#server/speech-api/transcriptions/create.ts';
import { createFakeDecoder, createFakeEngine } from '../../fake-engine.ts';
import { startTestServer, type TestServer, type TestUser } from '../../harness.ts';
import { organizationOf, projectOf } from '../../people.ts';
import { projectKey } from '../../speech-api/harness.ts';
import { admit } from '../../speech-api/live/visitor.ts';
import { Served } from '../served.ts';
import { LIVE_END, liveSession } from './live-session.ts';

const FIRST = 'async=0.36,live=0.72';
const DAY = '2026-05-20';
const CHANGED = new Date(`${DAY}T12:00:00Z`);
const [BEFORE, AFTER] = [new Date(`${DAY}T11:00:00Z`), new Date(`${DAY}T13:00:00Z`)];

const served = new Served({ env: { SPEECH_PRICES: FIRST } }, async (of) => {
  await sql`truncate price_lists, usage_rows cascade`.execute(of);
  await storePrices(of, list(FIRST), () => new Date());
});
let db: Db;
let user: TestUser;
beforeEach(() => {
  ({ db, ada: user } = served);
});

const list = (text: string): Prices => parsePrices(text) ?? new Map<string, number>();
/** A clock that is turned to a moment; the database's, turned as far, is behind it by the time of a query. */
const at = (moment: Date) => () => moment;
const lists = () => db.selectFrom('price_lists').select('valid_from').orderBy('valid_from').execute();

/** A file of an hour, from one moment to another; what it cost. */
async function file(begun: Date, ended: Date): Promise<number | null> {
  const id = randomUUID();
  await db
    .insertInto('transcriptions')
    .values({
      id,
      project_id: user.projectId,
      status: 'completed',
      model: 'parlance-async-1',
      filename: 'a.wav',
      enable_speaker_diarization: false,
      enable_language_identification: false,
      origin: 'public_api',
      audio_duration_ms: 3_600_000,
      created_at: begun,
      finished_at: ended,
    })
    .execute();
  await db.transaction().execute((trx) => recordTranscription(trx, id, 0));
  return costOfRequest(db, id);
}

/** A live session of an hour that began at a moment; its id. */
const session = (started_at: Date): Promise<string> =>
  liveSession(db, user, { started_at, lease_until: AFTER, audio_ms: 3_600_000 });

/** The cost of the day, as the project's report tells it. */
async function report(of = served.server, by = user): Promise<number | null> {
  const period = { start_date: DAY, end_date: DAY, period: 'daily' };
  const answer = await of.call(by, 'POST', `${projectOf(by)}usage/cost/`, period);
  expect(answer.status).toBe(200);
  return (await answer.json()).totals.cost_micros;
}

describe('a list of prices', () => {
  it('MET-06: is written by the first start, for all that began before it, too; the same prices write none', async () => {
    expect(await lists()).toEqual([{ valid_from: new Date(0) }]);
    await storePrices(db, list(FIRST), at(CHANGED));
    await storePrices(db, list('live=0.72,async=0.36'), at(CHANGED));
    expect(await lists()).toHaveLength(1);
    expect(await pricesAt(db, new Date('2020-01-01'))).toEqual(list(FIRST));
  });

  it('MET-06: holds from the start that changed it on; several servers that start at once write one', async () => {
    await Promise.all(Array.from({ length: 8 }, () => storePrices(db, list('async=1,parlance-rt-1=2'), at(CHANGED))));
    expect(await lists()).toEqual([{ valid_from: new Date(0) }, { valid_from: expect.any(Date) }]);
    expect(await pricesAt(db, BEFORE)).toEqual(list(FIRST));
    expect(await pricesAt(db, CHANGED)).toEqual(list('async=1,parlance-rt-1=2'));
    // And back.
    await storePrices(db, list(FIRST), at(AFTER));
    expect(await lists()).toHaveLength(3);
    expect(await pricesAt(db, CHANGED)).toEqual(list('async=1,parlance-rt-1=2'));
    expect(await pricesAt(db, AFTER)).toEqual(list(FIRST));
  });

  it('MET-06: holds from the moment of the database on, whatever the clock of the process says', async () => {
    let passed = 0;
    const { now } = await followDatabase(db, () => passed);
    passed = 3_600_000;
    await storePrices(db, list('async=1'), now);
    expect(await pricesAt(db, await databaseNow(db, now))).toEqual(list('async=1'));
  });

  it('MET-06: that is to hold later, from a clock that was ahead, is not what counts, and goes; what has begun stays', async () => {
    await storePrices(db, list('async=1'), at(BEFORE));
    await storePrices(db, list('async=2'), at(AFTER));
    await storePrices(db, list('async=2'), at(CHANGED));
    expect(await lists()).toHaveLength(3);
    expect([await file(BEFORE, CHANGED), await file(CHANGED, AFTER)]).toEqual([1_000_000, 2_000_000]);
    await storePrices(db, list('async=3'), at(AFTER));
    await storePrices(db, list('async=2'), at(new Date(CHANGED.getTime() + 60_000)));
    expect(await lists()).toHaveLength(3);
    expect(await pricesAt(db, AFTER)).toEqual(list('async=2'));
  });

  it('MET-06: without prices is one, too', async () => {
    await storePrices(db, list('none'), at(CHANGED));
    expect([await file(BEFORE, AFTER), await file(CHANGED, AFTER)]).toEqual([360_000, null]);
    await storePrices(db, list('none'), at(AFTER));
    expect(await lists()).toHaveLength(2);
  });
});

describe('while servers are started one after the other with other prices', () => {
  /** What each of the answers that depend on it says: of one server, whatever its own settings are. */
  const answers = async (of: TestServer, by: TestUser) => {
    const read = async (path: string) => (await of.call(by, 'GET', path)).json();
    const [dashboard, home, overview, status, limits] = [
      await read(`${organizationOf(by)}dashboard/`),
      await read(`${projectOf(by)}home/`),
      await read(`${organizationOf(by)}billing/overview/`),
      await read(`${organizationOf(by)}payment/status/`),
      await read(`/api/v2/limits/projects/${by.projectId}/`),
    ];
    return {
      mayStart: !limits.is_balance_exhausted,
      costs: [dashboard.totals.cost_micros, home.totals.cost_micros, await report(of, by)],
      isExhausted: [dashboard.is_exhausted, overview.is_exhausted],
      isCharging: [overview.is_charging, status.is_charging],
    };
  };
  const priced = { mayStart: false, costs: [0, 0, 0], isExhausted: [true, true], isCharging: [true, true] };
  const free = {
    mayStart: true,
    costs: [null, null, null],
    isExhausted: [false, false],
    isCharging: [false, false],
  };

  it.each([
    ['a server of before that has prices', FIRST, 'none', priced, free],
    ['a server of before that has none', 'none', FIRST, free, priced],
  ])('MET-06 LED-06: %s goes by what was written down last, not by its own', async (_, own, next, before, after) => {
    const other = await startTestServer({ env: { SPEECH_PRICES: own, STARTING_CREDIT: '0' } });
    try {
      const somebody = await other.createUser();
      expect(await answers(other, somebody)).toEqual(before);
      await storePrices(other.services.db, list(next), other.services.clock);
      expect(await answers(other, somebody)).toEqual(after);
    } finally {
      await other.close();
    }
  });
});

describe('what a request costs', () => {
  /** A live session and a file that are admitted as over the wire. */
  async function begin(clock: () => Date) {
    const { services } = served.server;
    const parts = { ...services, config: { ...services.config, fetchAudioUrls: true }, clock };
    const keeper = new GateKeeper({ ...parts, limitDefaults: LIMIT_DEFAULTS }, 2_000_000_000);
    await admit(keeper, (await projectKey(served.server, user)).key);
    const speech = createSpeechServices(parts, { engine: createFakeEngine(), decoder: createFakeDecoder() });
    const caller = { projectId: user.projectId, origin: 'public_api', apiKeyId: null, userId: null } as const;
    const body = { model: 'parlance-async-1', audio_url: 'https://files.test/a.wav' };
    const { id } = await createTranscription(speech, caller, body, randomUUID());
    const [live, file] = await Promise.all([
      db.selectFrom('live_sessions').selectAll().where('project_id', '=', user.projectId).executeTakeFirstOrThrow(),
      db.selectFrom('transcriptions').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    ]);
    return { live, file, close: () => keeper.close() };
  }

  it('MET-06: is told by the prices that held when it began, whenever it ends, and no report tells another cost later', async () => {
    expect(await file(BEFORE, BEFORE)).toBe(360_000);
    await storePrices(db, list('async=3.6,live=7.2'), at(CHANGED));
    expect(await report()).toBe(360_000);
    expect([await file(BEFORE, AFTER), await file(AFTER, AFTER)]).toEqual([360_000, 3_600_000]);
    expect(await report()).toBe(4_320_000);
    await storePrices(db, list('async=9'), at(AFTER));
    expect(await report()).toBe(4_320_000);
  });

  it("MET-06: is set by the database's time of its start, as reserved, whatever the clock of its process says", async () => {
    let passed = 0;
    const { now: clock } = await followDatabase(db, () => passed);
    passed = 3_600_000;
    const { live, file, close } = await begin(clock);
    await storePrices(db, list('async=3.6,live=7.2'), clock);
    for (const began of [live.started_at, file.created_at]) expect(await pricesAt(db, began)).toEqual(list(FIRST));
    await close();
  });

  it.each([
    ['with a price', 'async=3.6,live=7.2', [3_600_000, 7_200_000]],
    ['without', 'none', [null, null]],
  ])(
    'MET-06: stays what it was promised as its list, %s, goes because the clock of the database was set back',
    async (_, prices, costs) => {
      await storePrices(db, list(prices), () => new Date());
      const { live, file, close } = await begin(() => new Date());
      await storePrices(db, list('async=9,live=9'), () => new Date(Date.now() - 3_600_000));
      expect(await pricesAt(db, file.created_at)).toEqual(list('async=9,live=9'));
      await endLiveSession(db, live.id, { ...LIVE_END, audioMs: 3_600_000, at: new Date() });
      const ended = { status: 'completed', audio_duration_ms: 3_600_000, finished_at: new Date() } as const;
      await db.updateTable('transcriptions').set(ended).where('id', '=', file.id).execute();
      await db.transaction().execute((trx) => recordTranscription(trx, file.id, 0));
      expect([await costOfRequest(db, file.id), await costOfRequest(db, live.id)]).toEqual(costs);
      await close();
    },
  );

  it('MET-06: of a live session too, also of one that was taken for dead', async () => {
    await storePrices(db, list('live=7.2'), at(CHANGED));
    const [before, after] = [await session(BEFORE), await session(CHANGED)];
    await abortLiveSessions(db, new Date(AFTER.getTime() + 1));
    expect([await costOfRequest(db, before), await costOfRequest(db, after)]).toEqual([720_000, 7_200_000]);
    await endLiveSession(db, before, { ...LIVE_END, audioMs: 1_800_000, at: AFTER });
    expect(await costOfRequest(db, before)).toBe(360_000);
  });
});

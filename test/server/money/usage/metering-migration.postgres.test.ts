import { randomUUID } from 'node:crypto';
import { Migrator, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '#server/platform/db/database.ts';
import { compareRollups, finishRebuild } from '#server/money/usage/rebuild.ts';
import { migrations } from '#server/platform/db/migrations/index.ts';
import { openBareDatabase } from '../../databases.ts';

const NOW = new Date('2026-05-20T12:00:00Z');
const [organization, project, gone, file, session, lost] = Array.from({ length: 6 }, () => randomUUID());
const [fileRequest, sessionRequest, cancelledRequest, goneRequest] = Array.from({ length: 4 }, () => randomUUID());

let bare: Awaited<ReturnType<typeof openBareDatabase>>;
let db: Db;
const migrator = (): Migrator => new Migrator({ db, provider: { getMigrations: async () => migrations } });
const migrateTo = async (name: string): Promise<void> => {
  const { error } = await migrator().migrateTo(name);
  expect(error).toBeUndefined();
};

/** A row as earlier versions wrote it. */
const used = (
  projectId: string | undefined,
  requestId: string | undefined,
  ended: string,
  {
    kind = 'async',
    status = 'completed',
    error = null as string | null,
    cost = null as number | null,
    latency = 0,
  } = {},
) =>
  sql`insert into usage_logs (id, project_id, request_id, kind, origin, model, status, error_type, started_at, ended_at, latency_ms, input_audio_ms, input_text_tokens, output_text_tokens, cost_micros)
    values (gen_random_uuid(), ${projectId}, ${requestId}, ${kind}, 'playground', 'm', ${status}, ${error}, ${NOW}, ${new Date(ended)}, ${latency}, 1000, 0, 7, ${cost})`.execute(
    db,
  );

beforeAll(async () => {
  bare = await openBareDatabase();
  db = bare.db;
  await migrateTo('0012-welcome');
  await sql`insert into organizations (id, name, contact_email, created_at) values (${organization}, 'Org', 'a@example.com', ${NOW})`.execute(
    db,
  );
  await sql`insert into projects (id, organization_id, name, description, created_at) values (${project}, ${organization}, 'Here', '', ${NOW})`.execute(
    db,
  );
  await sql`insert into deleted_projects (id, organization_id, name, deleted_at) values (${gone}, ${organization}, 'Gone', ${NOW})`.execute(
    db,
  );
  await sql`insert into transcriptions (id, project_id, status, model, filename, enable_speaker_diarization, enable_language_identification, origin, created_at, request_id)
    values (${file}, ${project}, 'completed', 'm', 'a.wav', false, false, 'playground', ${NOW}, ${fileRequest})`.execute(
    db,
  );
  for (const [id, request, log] of [
    [session, sessionRequest, null],
    [lost, null, randomUUID()],
  ])
    await sql`insert into live_sessions (id, project_id, model, status, worker, lease_until, started_at, audio_ms, request_id, usage_log_id)
      values (${id}, ${project}, 'm', 'aborted', 'w', ${NOW}, ${NOW}, 1000, ${request}, ${log})`.execute(db);
  await used(project, fileRequest, '2026-04-30T23:59:59.999Z', { cost: 28, latency: 900 });
  await used(project, sessionRequest, '2026-05-01T00:00:00Z', { kind: 'real_time', cost: 3, latency: 430 });
  await used(project, lost, '2026-05-02T00:00:00Z', { kind: 'real_time', status: 'aborted' });
  await used(project, cancelledRequest, '2026-05-02T00:00:01Z', { status: 'failed', error: 'cancelled' });
  await used(gone, goneRequest, '2025-11-02T00:00:00Z', { status: 'failed', error: 'invalid_audio', cost: 0 });
  await migrateTo('0015-metering');
});
afterAll(() => bare.close());

describe('the usage logs of before', () => {
  it('MET-01: are taken over, each under the name of its request where that is known', async () => {
    const rows = await db.selectFrom('usage_rows').selectAll().orderBy('position').execute();
    expect(rows).toMatchObject([
      {
        id: file,
        project_name: 'Here',
        status: 'completed',
        cost_micros: 28,
        billing_day: '2026-04-30',
        first_word_ms: null,
        output_tokens: 7,
      },
      { id: session, kind: 'real_time', cost_micros: 3, billing_day: '2026-05-01', first_word_ms: 430 },
      { id: lost, status: 'cancelled', cost_micros: null },
      { request_id: cancelledRequest, status: 'cancelled', error_type: null },
      { request_id: goneRequest, project_name: 'Gone', status: 'failed', error_type: 'invalid_audio' },
    ]);
    expect(rows.map((row) => row.organization_id)).toEqual(rows.map(() => organization));
    expect(await db.selectFrom('usage_once').select('id').orderBy('id').execute()).toEqual(
      rows.map(({ id }) => ({ id })).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
  });

  it('MET-02: lie in the part of their month', async () => {
    const { rows } = await sql<{
      part: string;
    }>`select distinct tableoid::regclass::text as part from usage_rows order by 1`.execute(db);
    expect(rows.map(({ part }) => part)).toEqual(['usage_rows_2025_11', 'usage_rows_2026_04', 'usage_rows_2026_05']);
  });

  it('MET-04: are counted when the server starts', async () => {
    const may = new Date('2026-05-01T00:00:00Z');
    await migrateTo('0036-retention');
    expect(await compareRollups(db, may)).toEqual({ usage_hourly: 3, usage_daily: 3, log_days: 3 });
    await finishRebuild(db);
    for (const month of ['2025-11-01', '2026-04-01', '2026-05-01'])
      expect(await compareRollups(db, new Date(month))).toEqual({ usage_hourly: 0, usage_daily: 0, log_days: 0 });
    expect(await db.selectFrom('usage_rebuild').selectAll().execute()).toEqual([]);
    const { requests, cost } = await db
      .selectFrom('usage_daily')
      .select(({ fn }) => [fn.sum('requests').as('requests'), fn.sum('cost_micros').as('cost')])
      .executeTakeFirstOrThrow();
    expect([Number(requests), Number(cost)]).toEqual([5, 31]);
  });

  it('UXP-56: had told transcriptions what they cost', async () => {
    const row = await db
      .selectFrom('transcriptions')
      .select('cost_micros')
      .where('id', '=', file ?? '')
      .executeTakeFirst();
    expect(row).toEqual({ cost_micros: 28 });
  });

  it('leave a session that was taken for dead to be put right', async () => {
    const rows = await db.selectFrom('live_sessions').select('id').where('taken_for_dead', '=', true).execute();
    expect(rows).toEqual([{ id: lost }]);
  });
});

/** What only connections beside each other can do to the removal of what is old. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeOld } from '#server/app/retention.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { compareAll } from '#server/money/usage/rebuild.ts';
import { lockProjectRow } from '#server/tenancy/projects/locks.ts';
import { startTestServer, type TestServer, type TestUser } from '../server/harness.ts';
import { ended, writeUsage } from '../server/usage.ts';
import { isWaiting } from './waiting.ts';

let server: TestServer;
let user: TestUser;
beforeEach(async () => {
  server = await startTestServer({ env: { KEEP_RECORDINGS_DAYS: '10', KEEP_USAGE_DAYS: '10' } });
  user = await server.createUser();
});
afterEach(() => server.close());

it('OPS-74: a recording of which a transcription is made after the sweep has found it stays', async () => {
  const { db } = server.services;
  const [file, transcription] = [randomUUID(), randomUUID()];
  const of = {
    project_id: user.projectId,
    filename: 'a.wav',
    client_reference_id: null,
    origin: 'playground',
  } as const;
  await db
    .insertInto('files')
    .values({ ...of, id: file, size: 1, created_at: new Date(0) })
    .execute();
  let sweep: ReturnType<typeof removeOld> | undefined;
  await db.transaction().execute(async (trx) => {
    await lockProjectRow(trx, user.projectId, 'delete');
    sweep = removeOld(server.services);
    await isWaiting(server.services);
    await sql`insert into transcriptions (id, project_id, status, model, file_id, filename, enable_speaker_diarization,
        enable_language_identification, origin, created_at)
      values (${transcription}, ${user.projectId}, 'queued', 'm', ${file}, 'a.wav', false, false, 'playground', now())`.execute(
      trx,
    );
  });
  expect(await sweep).toEqual({});
  expect(await db.selectFrom('files').select('id').execute()).toEqual([{ id: file }]);
});

it('OPS-77: rows stay until the rollups that are made anew just now are done with their month', async () => {
  const { db } = server.services;
  await writeUsage(db, [ended({ project_id: user.projectId, ended_at: new Date('2020-01-10'), cost_micros: 5 })]);
  let sweep: ReturnType<typeof removeOld> | undefined;
  await db.transaction().execute(async (trx) => {
    await sql`lock table usage_hourly, usage_daily, log_days in share row exclusive mode`.execute(trx);
    sweep = removeOld(server.services);
    await isWaiting(server.services);
    expect(await trx.selectFrom('usage_rows').select('id').execute()).toHaveLength(1);
  });
  expect(await sweep).toEqual({ usage: 1 });
  expect(await proveLedger(db)).toEqual([]);
  expect(await compareAll(db)).toEqual([]);
});

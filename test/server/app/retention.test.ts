/** What is removed for its age, and what stays: of each kind, on both databases. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { removeOld } from '#server/app/retention.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { Schema } from '#server/platform/db/schema.ts';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { liveSession } from '../money/usage/live-session.ts';

const DAY_MS = 86_400_000;
const DAYS = 10;

let server: TestServer;
let db: Db;
let user: TestUser;
beforeAll(async () => {
  server = await startTestServer({
    env: {
      KEEP_AUDIT_DAYS: String(DAYS),
      KEEP_LIVE_SESSIONS_DAYS: String(DAYS),
      KEEP_DEAD_JOBS_DAYS: String(DAYS),
      KEEP_MAILS_DAYS: String(DAYS),
    },
  });
  ({ db } = server.services);
});
afterAll(() => server.close());
beforeEach(async () => {
  for (const table of ['audit_log', 'jobs', 'mails', 'live_sessions'] as const) await db.deleteFrom(table).execute();
  user = await server.createUser();
});

/** So long ago, by the clock of the server. */
const ago = (days: number): Date => new Date(server.services.clock().getTime() - days * DAY_MS);
const [OLD, YOUNG] = [DAYS + 0.01, DAYS - 0.01];

async function deed(days: number): Promise<string> {
  const id = randomUUID();
  const row = { id, organization_id: user.organizationId, actor: 'a', subject: 's' };
  await db
    .insertInto('audit_log')
    .values({ ...row, action: 'project.created', detail: '', request_id: id, at: ago(days) })
    .execute();
  return id;
}

async function job(kind: string, subject: string, state: 'ready' | 'dead', days: number): Promise<string> {
  const at = ago(days);
  const { id } = await db
    .insertInto('jobs')
    .values({ kind, subject, state, attempts: 1, run_at: at, created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return String(id);
}

async function mail(days: number): Promise<string> {
  const id = randomUUID();
  await db
    .insertInto('mails')
    .values({ id, sealed: 'x', created_at: ago(days) })
    .execute();
  return id;
}

const session = (days: number, values: object = {}): Promise<string> =>
  liveSession(db, user, {
    status: 'completed',
    lease_until: ago(days),
    started_at: ago(days + 0.1),
    ended_at: ago(days),
    ...values,
  });

const idsOf = async (table: keyof Schema & ('audit_log' | 'jobs' | 'mails' | 'live_sessions')): Promise<string[]> =>
  (await sql<{ id: string }>`select id::text from ${sql.table(table)}`.execute(db)).rows.map(({ id }) => id).toSorted();

describe('what is too old goes, and nothing else', () => {
  it('OPS-72: entries of the audit log', async () => {
    await deed(OLD);
    const young = await deed(YOUNG);
    expect(await removeOld(server.services)).toEqual({ audit: 1 });
    expect(await idsOf('audit_log')).toEqual([young]);
  });

  it('OPS-72: jobs that were given up, but for those about money; one that waits stays', async () => {
    const subject = randomUUID();
    await job('webhook', subject, 'dead', OLD);
    const kept = [
      await job('webhook', subject, 'dead', YOUNG),
      await job('webhook', subject, 'ready', OLD),
      await job('autopay', subject, 'dead', OLD),
      await job('close_customer', subject, 'dead', OLD),
      await job('forget_method', subject, 'dead', OLD),
    ];
    expect(await removeOld(server.services)).toEqual({ deadJobs: 1 });
    expect(await idsOf('jobs')).toEqual(kept.toSorted());
  });

  it('OPS-72: mails that nobody took; one that is still tried stays', async () => {
    await job('mail', await mail(OLD), 'dead', YOUNG);
    await mail(OLD);
    const tried = await mail(OLD);
    await job('mail', tried, 'ready', YOUNG);
    const young = await mail(YOUNG);
    expect(await removeOld(server.services)).toEqual({ mails: 2 });
    expect(await idsOf('mails')).toEqual([tried, young].toSorted());
  });

  it('OPS-72: live sessions that have ended; one that runs stays', async () => {
    await session(OLD);
    const young = await session(YOUNG);
    const running = await session(OLD, { status: 'running', ended_at: null });
    expect(await removeOld(server.services)).toEqual({ liveSessions: 1 });
    expect(await idsOf('live_sessions')).toEqual([young, running].toSorted());
  });
});

describe('the sweep', () => {
  it('OPS-73: removes in batches, each in a transaction of its own, and two at once remove each row once', async () => {
    for (let n = 0; n < 7; n += 1) await deed(OLD);
    const young = await deed(YOUNG);
    const both = await Promise.all([removeOld(server.services, 2), removeOld(server.services, 3)]);
    expect(both.reduce((sum, { audit = 0 }) => sum + audit, 0)).toBe(7);
    expect(await idsOf('audit_log')).toEqual([young]);
  });

  it('OPS-73: stops after the batch at hand when the server does', async () => {
    for (let n = 0; n < 5; n += 1) await deed(OLD);
    let looks = 0;
    const closing = {
      // Asked once for each kind, and before each batch: it closes after two batches of the audit log.
      get begun() {
        if (looks > 0) looks += 1;
        return looks > 3;
      },
    };
    const config = { ...server.services.config, keepDays: { ...NOTHING, audit: DAYS } };
    looks = 1;
    const removed = await removeOld({ ...server.services, config, closing: closing as never }, 1);
    expect(removed).toEqual({ audit: 1 });
    expect(await idsOf('audit_log')).toHaveLength(4);
  });

  it('OPS-73: a kind that fails keeps none of the others, and is told', async () => {
    await session(OLD);
    await deed(OLD);
    await sql`create function die() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`.execute(
      db,
    );
    await sql`create trigger die before delete on live_sessions for each row execute function die()`.execute(db);
    await expect(removeOld(server.services)).rejects.toThrow('refused');
    await sql`drop function die cascade`.execute(db);
    expect(await idsOf('audit_log')).toEqual([]);
    expect(await idsOf('live_sessions')).toHaveLength(1);
  });

  it('OPS-71: what has no limit stays, however old', async () => {
    await deed(4000);
    const config = { ...server.services.config, keepDays: NOTHING };
    expect(await removeOld({ ...server.services, config })).toEqual({});
    expect(await idsOf('audit_log')).toHaveLength(1);
  });
});

const NOTHING = {
  usage: undefined,
  audit: undefined,
  recordings: undefined,
  transcriptions: undefined,
  liveSessions: undefined,
  deadJobs: undefined,
  mails: undefined,
};

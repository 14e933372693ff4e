/** What must hold of requests that end at once: each is written, counted and charged once, and nobody waits for ever. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { prune } from '#server/identity/accounts/prune.ts';
import { availableMicros } from '#server/money/ledger/accounts.ts';
import { postDays } from '#server/money/ledger/posting.ts';
import { abortLiveSessions, endLiveSession, cancelOnDelete, type LiveEnd } from '#server/money/usage/record.ts';
import type { UsageEnd } from '#server/money/usage/rows.ts';
import { deleteProject } from '#server/tenancy/projects/delete.ts';
import type { TestUser } from '../../harness.ts';
import { removeOrganization } from '../../leaving.ts';
import { ended, writeUsage } from '../../usage.ts';
import { entriesOf } from '../books.ts';
import { CREDIT, Served } from '../served.ts';
import { LIVE_END, liveSession } from './live-session.ts';
import { expectRight } from './usage.ts';

const AT = new Date('2026-05-20T12:30:00Z');

const served = new Served({ env: { SPEECH_PRICES: 'live=3.6' } });
let ada: TestUser;
beforeEach(() => {
  ({ ada } = served);
});
const db = () => served.db;
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

/** One of a user's project that cost something, with every measure of its kind. */
const request = (user: TestUser, of: Partial<UsageEnd> = {}): UsageEnd =>
  ended({ project_id: user.projectId, ended_at: AT, cost_micros: 7, queue_ms: 40, processing_ms: 900, ...of });

/** What the rows, both rollups, the latencies and the ledger tell of a user's project. */
async function told({ projectId, organizationId }: TestUser) {
  const ofProject = (table: 'usage_rows' | 'usage_hourly' | 'usage_daily') =>
    sql`select * from ${sql.table(table)} where project_id = ${projectId}`;
  const { rows } = await sql<{ requests: number; cost: number }>`
    select count(*)::int as requests, sum(cost_micros)::int as cost from (${ofProject('usage_rows')}) as row
    union all select sum(requests)::int, sum(cost_micros)::int from (${ofProject('usage_hourly')}) as hour
    union all select sum(requests)::int, sum(cost_micros)::int from (${ofProject('usage_daily')}) as day`.execute(db());
  const latencies = await sql<{ count: number }>`
    select coalesce(sum(count), 0)::int as count from (${ofProject('usage_daily')}) as day cross join unnest(processing) as count`.execute(
    db(),
  );
  return {
    figures: rows.map(({ requests, cost }) => [requests, cost]),
    latencies: latencies.rows[0]?.count,
    used: CREDIT - ((await availableMicros(db(), organizationId)) ?? 0),
  };
}

/** What all three are to tell. */
const alike = (...figures: [requests: number, cost: number]) => [figures, figures, figures];
const expectAgreement = () => expectRight(db());

const session = (user: TestUser): Promise<string> =>
  liveSession(db(), user, { started_at: new Date(AT.getTime() - 60_000), lease_until: AT });
const END: LiveEnd = { ...LIVE_END, at: new Date(AT.getTime() + 15_000) };
const sweep = () => abortLiveSessions(db(), new Date(AT.getTime() + 1000));

describe('requests that end at once', () => {
  it('MET-03: one that several processes end is written, counted and charged once', async () => {
    const once = request(ada);
    await Promise.all(many(8, () => writeUsage(db(), [once])));
    expect(await told(ada)).toEqual({ figures: alike(1, 7), latencies: 1, used: 7 });
    await expectAgreement();
  });

  it('MET-03: 20 writers of one project and hour lose nothing', async () => {
    await Promise.all(
      many(20, async (writer) => {
        for (let nth = 0; nth < 5; nth += 1) await writeUsage(db(), [request(ada, { cost_micros: writer * 5 + nth })]);
      }),
    );
    const cost = (99 * 100) / 2;
    expect(await told(ada)).toEqual({ figures: alike(100, cost), latencies: 100, used: cost });
    await expectAgreement();
  });

  it('MET-03: transactions that end requests of the same organizations, in any order, do not wait for each other for ever', async () => {
    const ben = await served.server.createUser();
    const ends = (nth: number): UsageEnd[] => {
      const both = [request(ada), request(ben, { model: 'b' }), request(ada, { model: 'c' })];
      return nth % 2 === 0 ? both : both.toReversed();
    };
    await Promise.all(many(30, (nth) => writeUsage(db(), ends(nth))));
    expect((await told(ada)).figures[0]).toEqual([60, 420]);
    expect((await told(ben)).used).toBe(210);
    await expectAgreement();
  });
});

describe('a session that was taken for dead', () => {
  it('MET-05: and ends while others look after it, is billed by how it ended, once', async () => {
    const ben = await served.server.createUser();
    const ids = await Promise.all(many(12, (nth) => session(nth % 2 === 0 ? ada : ben)));
    await Promise.all([
      sweep(),
      ...ids.flatMap((id) => [endLiveSession(db(), id, END), endLiveSession(db(), id, END)]),
      sweep(),
    ]);
    await sweep();
    for (const user of [ada, ben])
      expect(await told(user)).toMatchObject({ figures: alike(6, 150_000), used: 150_000 });
    await expectAgreement();
  });

  it('MET-05: is billed by its last heartbeat until then, and for the difference from then on, also when its day is posted', async () => {
    const id = await session(ada);
    await sweep();
    expect((await told(ada)).used).toBe(10_000);
    await postDays(db(), new Date('2026-05-21T00:00:00Z'));
    await endLiveSession(db(), id, END);
    const days = await db()
      .selectFrom('usage_days')
      .select(['day', 'earlier_micros', 'cost_micros', 'posted'])
      .where('organization_id', '=', ada.organizationId)
      .orderBy('day')
      .execute();
    expect(days).toEqual([{ day: '2026-05-20', earlier_micros: 10_000, cost_micros: 15_000, posted: false }]);
    const rows = await db()
      .selectFrom('usage_rows')
      .select(['status', 'cost_micros', 'billing_day', 'ended_at'])
      .where('project_id', '=', ada.projectId)
      .execute();
    expect(rows).toEqual([{ status: 'completed', cost_micros: 25_000, billing_day: '2026-05-20', ended_at: END.at }]);
    await expectAgreement();
  });

  it('MET-05: is billed by how it ended, also where its project was deleted meanwhile', async () => {
    const { services } = served.server;
    const { email, userId, organizationId, projectId } = ada;
    const act = { userId, email, at: AT, requestId: randomUUID() };
    const id = await session(ada);
    await sweep();
    await deleteProject(db(), act, { projectId, organizationId, name: 'p', role: 'owner' }, cancelOnDelete);
    await prune({ ...services, clock: () => AT });
    await endLiveSession(db(), id, END);
    expect((await told(ada)).used).toBe(25_000);
    await prune({ ...services, clock: () => AT });
    const left = db().selectFrom('live_sessions').select('id').where('id', '=', id);
    expect(await left.execute()).toEqual([]);
    await expectAgreement();
  });

  it('MET-05: one that cannot be ended keeps no other', async () => {
    const [first, broken, last] = [await session(ada), await session(ada), await session(ada)];
    await sql`alter table usage_once add constraint refused check (id <> ${sql.lit(broken)}) not valid`.execute(db());
    await expect(sweep()).rejects.toThrow('refused');
    await sql`alter table usage_once drop constraint refused`.execute(db());
    const running = await db()
      .selectFrom('live_sessions')
      .select('id')
      .where('id', 'in', [first, broken, last])
      .where('status', '=', 'running')
      .execute();
    expect(running).toEqual([{ id: broken }]);
    await sweep();
    expect((await told(ada)).used).toBe(30_000);
    await expectAgreement();
  });
});

describe('an organization that is deleted while its requests end', () => {
  it('LED-09: is charged for what runs, by the last heartbeat of its process, which finds nothing to end', async () => {
    const { organizationId } = ada;
    const id = await liveSession(db(), ada, { started_at: AT, lease_until: END.at, audio_ms: 20_000 });
    expect(await removeOrganization(served.server.services, ada, AT)).toBe(true);
    await Promise.all([endLiveSession(db(), id, END), sweep()]);
    const books = await db()
      .selectFrom('pruned_usage')
      .select(['requests', 'cost_micros'])
      .where('organization_id', '=', organizationId)
      .execute();
    expect(books).toEqual([{ requests: 1, cost_micros: 20_000 }]);
    const entries = await entriesOf(db(), organizationId);
    expect(entries.map(({ kind, amount_micros }) => [kind, amount_micros])).toEqual([
      ['credit', CREDIT],
      ['usage', -20_000],
      ['correction', -(CREDIT - 20_000)],
    ]);
    await expectAgreement();
  });

  it('MET-03 DAT-07: leaves nothing behind and ends, also with streams of a project that was deleted before', async () => {
    const { email, userId, organizationId, projectId } = ada;
    const act = { userId, email, at: AT, requestId: randomUUID() };
    const ids = await Promise.all(many(10, () => session(ada)));
    await deleteProject(db(), act, { projectId, organizationId, name: 'p', role: 'owner' }, cancelOnDelete);
    const [half, others] = [ids.slice(0, 5), ids.slice(5)];
    await Promise.all(half.map((id) => endLiveSession(db(), id, END)));
    await Promise.all([
      ...others.map((id) => endLiveSession(db(), id, END)),
      removeOrganization(served.server.services, ada, AT),
      sweep(),
    ]);
    for (const table of ['usage_rows', 'usage_hourly', 'usage_daily', 'log_days', 'live_sessions'] as const)
      expect([
        table,
        await db().selectFrom(table).select('project_id').where('project_id', '=', projectId).execute(),
      ]).toEqual([table, []]);
    expect(await db().selectFrom('usage_once').select('id').where('id', 'in', ids).execute()).toEqual([]);
    await expectAgreement();
  });
});

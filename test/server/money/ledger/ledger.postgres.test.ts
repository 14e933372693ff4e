import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { availableMicros } from '#server/money/ledger/accounts.ts';
import { chargeUsage } from '#server/money/ledger/charge.ts';
import { grantStartingCredits } from '#server/money/ledger/credits.ts';
import { postDays } from '#server/money/ledger/posting.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { forgetEntries } from '../books.ts';
import { CREDIT, Served } from '../served.ts';

const served = new Served();
const db = () => served.db;
const use = (ended: string, micros: number): Promise<string> => served.use(micros, new Date(ended));
const left = () => availableMicros(db(), served.ada.organizationId);
const entries = () =>
  db()
    .selectFrom('ledger_entries')
    .select(['kind', 'amount_micros', 'balance_after_micros', sql<string | null>`day::text`.as('day')])
    .where('organization_id', '=', served.ada.organizationId)
    .orderBy('position')
    .execute();
const expectRight = async () => expect(await proveLedger(db())).toEqual([]);

describe('the ledger', () => {
  it('LED-05: gives a new organization its credit, and none twice', async () => {
    expect(await entries()).toEqual([
      { kind: 'credit', amount_micros: CREDIT, balance_after_micros: CREDIT, day: null },
    ]);
    await grantStartingCredits(db(), CREDIT, new Date());
    expect(await left()).toBe(CREDIT);
  });

  it('LED-05: the setting counts for those that are made from then on, and for those from before the ledger', async () => {
    await served.setAccount({ is_credited: false, balance_micros: 0 });
    await forgetEntries(db(), [served.ada.organizationId]);
    await Promise.all([1, 2, 3].map(() => grantStartingCredits(db(), 3_000_000, new Date())));
    expect(await left()).toBe(3_000_000);
    const ben = await served.server.createUser();
    expect(await availableMicros(db(), ben.organizationId)).toBe(3_000_000);
    await grantStartingCredits(db(), CREDIT, new Date());
    await expectRight();
  });

  it('LED-01: enters a cause once, under a race too, and says the balance after each entry', async () => {
    const causes = Array.from({ length: 10 }, () => randomUUID());
    const entered = await Promise.all([...causes, ...causes].map((cause) => served.give(7, cause)));
    expect(entered.filter(Boolean)).toHaveLength(10);
    const all = await entries();
    expect(all.map(({ balance_after_micros }) => balance_after_micros)).toEqual(
      Array.from({ length: 11 }, (_, index) => CREDIT + 7 * index),
    );
    await expectRight();
  });

  it('LED-01: never rewrites an entry', async () => {
    const rewriting = db()
      .updateTable('ledger_entries')
      .set({ amount_micros: 1 })
      .where('organization_id', '=', served.ada.organizationId)
      .execute();
    await expect(rewriting).rejects.toThrow('ledger entries are only added');
  });

  it('LED-02: takes from what is left as requests end, and posts each day of UTC', async () => {
    expect(await use('2026-03-01T23:59:59.999Z', 100)).toBe('2026-03-01');
    expect(await use('2026-03-02T00:00:00Z', 30)).toBe('2026-03-02');
    expect(await use('2026-03-02T13:00:00Z', 5)).toBe('2026-03-02');
    expect(await left()).toBe(CREDIT - 135);
    await postDays(db(), new Date('2026-03-02T23:00:00Z'));
    expect(await left()).toBe(CREDIT - 135);
    expect((await entries()).slice(1)).toEqual([
      { kind: 'usage', amount_micros: -100, balance_after_micros: CREDIT - 100, day: '2026-03-01' },
    ]);
    await expectRight();
  });

  it('LED-02: posts what comes late as another part of its own day, which the entries of the day then are', async () => {
    const midnight = (day: string) => new Date(`${day}T00:00:00Z`);
    await use('2026-03-01T10:00:00Z', 100);
    await use('2026-03-02T10:00:00Z', 100);
    await postDays(db(), midnight('2026-03-03'));
    expect(await use('2026-03-01T11:00:00Z', 1)).toBe('2026-03-01');
    expect(await use('2026-03-01T12:00:00Z', 2)).toBe('2026-03-01');
    expect(await use('2026-02-20T11:00:00Z', 4)).toBe('2026-02-20');
    expect(await left()).toBe(CREDIT - 207);
    await expectRight();
    await postDays(db(), midnight('2026-03-03'));
    await use('2026-03-01T13:00:00Z', 8);
    await postDays(db(), midnight('2026-03-03'));
    expect((await entries()).slice(1).map(({ day, amount_micros }) => [day, amount_micros])).toEqual([
      ['2026-03-01', -100],
      ['2026-03-02', -100],
      ['2026-02-20', -4],
      ['2026-03-01', -3],
      ['2026-03-01', -8],
    ]);
    expect(await left()).toBe(CREDIT - 215);
    await expectRight();
  });

  it('LED-02: a process of the version before leaves later parts of a day to the others', async () => {
    await use('2026-03-01T10:00:00Z', 100);
    await postDays(db(), new Date('2026-03-02T00:00:00Z'));
    await use('2026-03-01T11:00:00Z', 1);
    await db().updateTable('usage_days').set({ posted: true }).where('posted', '=', false).execute();
    await postDays(db(), new Date('2026-03-02T00:00:00Z'));
    expect((await entries()).at(-1)).toMatchObject({ amount_micros: -1, day: '2026-03-01' });
    await expectRight();
  });

  it('LED-02: puts what ends after the clock was a day ahead on its own day, in two parts', async () => {
    await use('2026-03-01T10:00:00Z', 100);
    await postDays(db(), new Date('2026-03-02T09:00:00Z'));
    for (const minute of [1, 2, 3]) await use(`2026-03-01T11:0${minute}:00Z`, 1);
    await postDays(db(), new Date('2026-03-01T12:00:00Z'));
    await use('2026-03-01T13:00:00Z', 1);
    await postDays(db(), new Date('2026-03-02T00:00:00Z'));
    expect((await entries()).slice(1).map(({ amount_micros }) => amount_micros)).toEqual([-100, -4]);
    await expectRight();
  });

  it('LED-03: posts a day once while several post it and requests end', async () => {
    const at = '2026-03-05T12:00:00Z';
    const now = new Date('2026-03-06T00:00:00Z');
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 4 === 3 ? postDays(db(), now) : use(at, 1000 + index))),
    );
    await postDays(db(), now);
    await postDays(db(), new Date('2026-03-07T00:00:00Z'));
    await expectRight();
    const all = await entries();
    const { cost } = await db()
      .selectFrom('usage_rows')
      .select((eb) => eb.fn.sum('cost_micros').as('cost'))
      .where('project_id', '=', served.ada.projectId)
      .executeTakeFirstOrThrow();
    expect(all.at(-1)?.balance_after_micros).toBe(CREDIT - Number(cost));
  });

  it('LED-02: takes a correction back from what is left', async () => {
    await use('2026-03-01T10:00:00Z', 100);
    await db()
      .transaction()
      .execute((trx) =>
        chargeUsage(trx, {
          organizationId: served.ada.organizationId,
          day: '2026-03-01',
          micros: -40,
          at: new Date('2026-03-01T11:00:00Z'),
        }),
      );
    expect(await left()).toBe(CREDIT - 60);
    expect(await proveLedger(db())).toEqual([
      {
        organizationId: served.ada.organizationId,
        what: 'day',
        cause: `usage:${served.ada.organizationId}:2026-03-01`,
        expected: 100,
        found: 60,
      },
      { organizationId: served.ada.organizationId, what: 'used', expected: 100, found: 60 },
    ]);
    await sql`update usage_rows set cost_micros = 60 where project_id = ${served.ada.projectId}`.execute(db());
    await expectRight();
  });

  it('LED-01: tells a balance that nothing accounts for', async () => {
    await served.setAccount({ balance_micros: 5 });
    expect(await proveLedger(db())).toEqual([
      { organizationId: served.ada.organizationId, what: 'balance', expected: CREDIT, found: 5 },
    ]);
    await served.setAccount({ balance_micros: CREDIT });
  });
});

/** The books of a year, read from outside. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '#server/platform/db/database.ts';
import { unguarded } from '../books.ts';
import { allEvents } from './reached.ts';
import { addUp, KINDS, readWrongs, readYear, sqlLines } from './year-books.ts';
import { writeYear, type People } from './year-script.ts';
import { YearWorld } from './year-world.ts';

let world: YearWorld;
let people: People;
beforeAll(async () => {
  world = await YearWorld.begin();
  people = await writeYear(world);
});
afterAll(() => world.close());

/** What is read once something was changed by hand, which is then undone. */
async function after<T>(change: string, read: (db: Db) => Promise<T>): Promise<T> {
  const undone = new Error('undone');
  const found: T[] = [];
  const changing = unguarded(world.services.db, async (trx) => {
    const { numAffectedRows } = await sql.raw(change).execute(trx);
    if (numAffectedRows === 0n) throw new Error('It changes nothing.');
    found.push(await read(trx));
    throw undone;
  });
  await expect(changing).rejects.toBe(undone);
  return found[0] as T;
}

describe('LED-10: the books of a year', () => {
  it('with every event, are what the provider, the operator and the requests say', async () => {
    const { db } = world.services;
    expect(allEvents().filter((event) => !world.reached.events.has(event))).toEqual([]);
    expect(sqlLines).toBeLessThanOrEqual(50);
    const year = await readYear(db);
    expect(year).toEqual(addUp(world.lines));
    expect(Object.keys(year['all in sum'] ?? {})).toEqual([...KINDS, 'balance']);
    expect(await readWrongs(db)).toEqual([]);
    expect(world.provider.hasty).toEqual([]);
  });

  it('lack what was refused, which is kept for the operator', async () => {
    const refused = await world.services.db
      .selectFrom('refused_events')
      .select((eb) => [
        'organization_id as organization',
        'why',
        'amount_micros as micros',
        eb('settled_at', 'is not', null).as('isSettled'),
      ])
      .execute();
    expect(refused).toHaveLength(world.refused.length);
    expect(refused).toEqual(expect.arrayContaining(world.refused));
  });

  const usage = `(select min(cause) from ledger_entries where kind = 'usage')`;
  /** A payment by autopay that is not the last entry of its organization. */
  const paid = `(select min(payment.id::text)::uuid from payments payment
      join ledger_entries entry on entry.cause = 'payment:' || payment.id
    where payment.state = 'succeeded' and payment.kind = 'autopay' and exists (
      select from ledger_entries later where later.organization_id = entry.organization_id and later.position > entry.position))`;
  const credited = `(select min(number) from receipts where series = 'R' and kind = 'credit_note')`;
  it.each([
    [
      'an amount of usage',
      `update ledger_entries set amount_micros = amount_micros - 1 where cause = ${usage}`,
      ['balance', 'chain', 'posted', 'used'],
    ],
    [
      'the entry of a payment that is gone',
      `delete from ledger_entries where cause = 'payment:' || ${paid}`,
      ['balance', 'chain', 'payment', 'receipt'],
    ],
    ['a payment that failed', `update payments set state = 'failed' where id = ${paid}`, ['payment']],
    ['what was paid', `update payments set amount_micros = amount_micros + 1 where id = ${paid}`, ['payment']],
    ['a receipt that is gone', `delete from receipts where series = 'R' and number = 2`, ['receipt', 'series']],
    [
      'the last receipt, gone with its number',
      `with gone as (
          delete from receipts
          where (series, number) = (select series, max(number) from receipts where series = 'R' group by series))
        update receipt_series set next = next - 1 where series = 'R'`,
      ['receipt'],
    ],
    ['a total', `update receipts set total_micros = total_micros + 1 where series = 'R' and number = 1`, ['receipt']],
    [
      'a credit note that is none',
      `update receipts set kind = 'receipt' where series = 'R' and number = ${credited}`,
      ['receipt', 'receipt'],
    ],
    ['a number', `update receipts set number = 1000 where series = 'R' and number = 3`, ['series']],
    [
      'what a request cost',
      `update usage_rows set cost_micros = cost_micros + 1 where id = (select min(id::text)::uuid from usage_rows)`,
      ['used'],
    ],
    [
      'what old requests cost',
      `delete from pruned_usage where month = '2031-02-01' and organization_id in (select id from organizations where id = 'ADA')`,
      ['used'],
    ],
    [
      'what was used on a day',
      `update usage_days set cost_micros = cost_micros + 1 where organization_id = 'ADA' and day = '2031-05-07'`,
      ['posted'],
    ],
    [
      'the balance of a closed account',
      `update accounts set balance_micros = 1 where closed_at is not null`,
      ['balance', 'closed'],
    ],
  ])('are found to be wrong after a change: %s', async (_, change, wrongs) => {
    const found = await after(change.replaceAll('ADA', people.ada.organizationId), readWrongs);
    expect(found.map((line) => line.replace(/ .*/, ''))).toEqual(expect.arrayContaining(wrongs));
    expect(found).toHaveLength(wrongs.length);
  });

  it('are not what was moved with a correction changed, though all balances fit', async () => {
    const { organizationId: organization } = people.ada;
    const of = `organization_id = '${organization}'`;
    const first = `(select min(position) from ledger_entries where ${of} and kind = 'correction' and mode is null)`;
    const change = `with account as (update accounts set balance_micros = balance_micros + 1 where ${of})
      update ledger_entries set balance_after_micros = balance_after_micros + 1,
        amount_micros = amount_micros + case when position = ${first} then 1 else 0 end
      where ${of} and position >= ${first}`;
    expect(await after(change, readWrongs)).toEqual([]);
    const line = { organization, month: '2031-10', kind: 'corrections', micros: 1 } as const;
    expect(await after(change, readYear)).toEqual(addUp([...world.lines, line]));
  });
});

/** Who counts as having had the starting credit when a database comes to count it by the person. */
import { randomUUID } from 'node:crypto';
import { Migrator, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { grantStartingCredits } from '#server/money/ledger/credits.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import type { Db } from '#server/platform/db/database.ts';
import { migrations } from '#server/platform/db/schema.ts';
import { openBareDatabase } from '../databases.ts';
import { CREDIT } from './served.ts';

const NOW = new Date('2026-05-20T12:00:00Z');

let bare: Awaited<ReturnType<typeof openBareDatabase>>;
let db: Db;
const migrateTo = async (name: string): Promise<void> =>
  expect(
    (await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateTo(name)).error,
  ).toBeUndefined();

async function newcomer(email = `${randomUUID()}@example.com`): Promise<string> {
  const id = randomUUID();
  await sql`insert into users (id, email, email_key, password_hash, created_at) values (${id}, ${email}, ${email}, 'none', ${NOW})`.execute(
    db,
  );
  return id;
}
async function make(maker: string): Promise<string> {
  const id = randomUUID();
  await sql`insert into organizations (id, name, contact_email, created_by, created_at)
    values (${id}, 'O', 'o@example.com', ${maker}, ${NOW})`.execute(db);
  return id;
}
const balanceOf = async (organization: string): Promise<number | undefined> =>
  (
    await db
      .selectFrom('accounts')
      .select('balance_micros')
      .where('organization_id', '=', organization)
      .executeTakeFirst()
  )?.balance_micros;

beforeAll(async () => {
  bare = await openBareDatabase();
  db = bare.db;
});
afterAll(() => bare.close());

it('LED-05 LED-07: makers of organizations that have it, and who has used some of one that is gone, do not get it again', async () => {
  await migrateTo('0015-metering');
  const before = await newcomer();
  const olds = [await make(before), await make(before)];
  await migrateTo('0039-used-credit');
  const [live, gone, left, fresh] = [await newcomer(), await newcomer(), await newcomer(), await newcomer()];
  const both = [await make(live), await make(live)];
  const deleted = await make(gone);
  for (const [organization, user] of [
    [deleted, gone],
    // An account that is gone, too: nothing tells its address.
    [randomUUID(), randomUUID()],
    [both[0], live],
  ])
    await sql`insert into used_credits (organization_id, user_id, micros) values (${organization}, ${user}, 1)`.execute(
      db,
    );
  await sql`delete from organizations where id = ${deleted}`.execute(db);
  // One that began with nothing, such as where STARTING_CREDIT was 0.
  await beginWith(0);
  await make(left);
  await beginWith(CREDIT);
  await migrateTo('0041-credit-given');
  expect(await Promise.all(both.map(balanceOf))).toEqual([CREDIT, CREDIT]);
  for (const [user, expected] of [
    [live, 0],
    [gone, 0],
    [left, CREDIT],
    [fresh, CREDIT],
  ] as const)
    expect([await balanceOf(await make(user)), await balanceOf(await make(user))]).toEqual([expected, 0]);
  await migrateTo(Object.keys(migrations).at(-1) ?? '');
  await grantStartingCredits(db, CREDIT, NOW);
  expect(await Promise.all(olds.map(balanceOf))).toEqual([CREDIT, 0]);
  expect(await proveLedger(db)).toEqual([]);
  const { rows } = await sql<{ installations: string }>`select count(*) as installations from installation`.execute(db);
  expect(Number(rows[0]?.installations)).toBe(1);
});

/** What organizations begin with from now on, as it was set then. */
const beginWith = (micros: number) =>
  sql`insert into billing_defaults (starting_credit_micros) values (${micros})
    on conflict (single) do update set starting_credit_micros = excluded.starting_credit_micros`.execute(db);

it('LED-07: who had it under an address with a tag does not get it again by another tag, nor after their account is gone', async () => {
  const later = await openBareDatabase();
  const before = db;
  db = later.db;
  try {
    await migrateTo('0048-charges');
    const [ada, ben] = [await newcomer('ada+1@example.com'), await newcomer('ben+1@example.com')];
    for (const user of [ada, ben]) expect(await balanceOf(await make(user))).toBe(CREDIT);
    // As it was counted then.
    expect(await balanceOf(await make(await newcomer('ada+2@example.com')))).toBe(CREDIT);
    await sql`delete from users where id = ${ben}`.execute(db);
    await migrateTo(Object.keys(migrations).at(-1) ?? '');
    expect(await balanceOf(await make(await newcomer('ada@example.com')))).toBe(0);
    expect(await balanceOf(await make(await newcomer('ben+1@example.com')))).toBe(0);
    expect(await proveLedger(db)).toEqual([]);
  } finally {
    db = before;
    await later.close();
  }
});

it('makes no name for a database that nobody has used', async () => {
  const unused = await openBareDatabase();
  try {
    const migrator = new Migrator({ db: unused.db, provider: { getMigrations: async () => migrations } });
    expect((await migrator.migrateToLatest()).error).toBeUndefined();
    expect(await unused.db.selectFrom('installation').select('id').execute()).toEqual([]);
  } finally {
    await unused.close();
  }
});

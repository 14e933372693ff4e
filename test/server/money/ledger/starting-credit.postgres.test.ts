import { createHmac, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { availableMicros } from '#server/money/ledger/accounts.ts';
import { grantStartingCredits } from '#server/money/ledger/credits.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { createOrganization } from '#server/tenancy/organizations/queries.ts';
import type { TestUser } from '../../harness.ts';
import { deletionOf } from '../../people.ts';
import { CREDIT, Served } from '../served.ts';
import { dropOrganizations, entriesOf, forgetEntries, unguarded } from '../books.ts';

const served = new Served();
const db = () => served.db;
const make = (by: Pick<TestUser, 'userId' | 'email'> = served.ada): Promise<string> =>
  createOrganization(
    db(),
    { userId: by.userId, email: by.email, requestId: 'r', at: new Date() },
    { name: 'Another', contact_email: by.email },
  );
/** What a further organization of somebody begins with. */
const made = async (by?: Pick<TestUser, 'userId' | 'email'>) => availableMicros(db(), await make(by));
const remove = async (organizationId: string, by = served.ada): Promise<void> => {
  const path = await deletionOf(served.server, { ...by, organizationId });
  expect((await served.server.call(by, 'DELETE', path)).status).toBe(204);
};
/** Somebody without an organization. */
async function newcomer(email = `${randomUUID()}@example.com`): Promise<Pick<TestUser, 'userId' | 'email'>> {
  const userId = randomUUID();
  await db()
    .insertInto('users')
    .values({
      id: userId,
      email,
      email_key: email.toLowerCase(),
      password_hash: 'none',
      created_at: new Date(),
    })
    .execute();
  return { userId, email };
}
const deleteUser = ({ userId }: Pick<TestUser, 'userId'>) =>
  db().deleteFrom('users').where('id', '=', userId).execute();
const move = ({ userId }: Pick<TestUser, 'userId'>, email: string) =>
  db().updateTable('users').set({ email, email_key: email }).where('id', '=', userId).execute();
const expectRight = async () => expect(await proveLedger(db())).toEqual([]);

describe('LED-05: the starting credit is given once per person', () => {
  it('with the first organization that they make; another one begins with nothing, and no entry', async () => {
    expect(await availableMicros(db(), served.ada.organizationId)).toBe(CREDIT);
    const second = await make();
    expect(await availableMicros(db(), second)).toBe(0);
    expect(await entriesOf(db(), second)).toEqual([]);
    expect(await made(await newcomer())).toBe(CREDIT);
    await expectRight();
  });

  it('not again after the organization is deleted, used or not', async () => {
    await remove(served.ada.organizationId);
    expect(await made()).toBe(0);
  });

  it('of organizations that are made at once one has it', async () => {
    const ben = await newcomer();
    const given = await Promise.all(Array.from({ length: 6 }, () => made(ben)));
    expect(given.toSorted((one = 0, other = 0) => one - other)).toEqual([0, 0, 0, 0, 0, CREDIT]);
    await expectRight();
  });

  it('is not counted where the organization was not made, nor where there is none to give', async () => {
    const ben = await newcomer();
    await expect(
      db()
        .transaction()
        .execute(async (trx) => {
          await trx
            .insertInto('organizations')
            .values({
              id: randomUUID(),
              name: 'Undone',
              contact_email: ben.email,
              feature_flags: [],
              created_by: ben.userId,
              created_at: new Date(),
            })
            .execute();
          throw new Error('undone');
        }),
    ).rejects.toThrow('undone');
    await grantStartingCredits(db(), 0, new Date());
    expect(await made(ben)).toBe(0);
    await grantStartingCredits(db(), CREDIT, new Date());
    expect(await made(ben)).toBe(CREDIT);
  });

  it('of organizations from before the ledger the oldest of each person gets it, however many servers start', async () => {
    const ben = await newcomer();
    const ids = [await make(ben), await make(ben)];
    await forgetEntries(db(), ids);
    await db()
      .updateTable('accounts')
      .set({ is_credited: false, balance_micros: 0 })
      .where('organization_id', 'in', ids)
      .execute();
    await Promise.all([1, 2, 3].map(() => grantStartingCredits(db(), CREDIT, new Date())));
    expect(await Promise.all(ids.map((id) => availableMicros(db(), id)))).toEqual([CREDIT, 0]);
    await expectRight();
  });
});

describe('LED-07: who has had the starting credit is known', () => {
  it('after organization and account are deleted, by a keyed digest alone: the address that signs up again gets none', async () => {
    const ben = await newcomer('Ben@Example.com');
    const id = await make(ben);
    const { credit_key } = await db().selectFrom('installation').select('credit_key').executeTakeFirstOrThrow();
    expect(credit_key).toHaveLength(32);
    await dropOrganizations(db(), [id]);
    await deleteUser(ben);
    const rows = await db().selectFrom('credits_given').selectAll().where('organization_id', '=', id).execute();
    const digest = createHmac('sha256', credit_key).update('ben@example.com').digest('hex');
    expect(rows.map(({ person_key }) => Buffer.from(person_key).toString('hex'))).toEqual([digest]);
    expect(await made(await newcomer('ben@example.com'))).toBe(0);
  });

  it('by all spellings of one mailbox: what follows a plus tells nobody apart, nor dots at Gmail', async () => {
    const name = randomUUID();
    await make(await newcomer(`${name}+1@example.com`));
    for (const email of [`${name}@example.com`, `${name}+2@example.com`, `${name}+2+3@example.com`])
      expect([email, await made(await newcomer(email))]).toEqual([email, 0]);
    // Elsewhere dots are of the address; and each of these has a mailbox of its own.
    for (const email of [`${name}@example.org`, `${name[0]}.${name.slice(1)}@example.com`, `+${name}@example.com`])
      expect([email, await made(await newcomer(email))]).toEqual([email, CREDIT]);
    await make(await newcomer(`a.b.${name}@gmail.com`));
    for (const email of [`ab${name}+x@gmail.com`, `a.b${name}@googlemail.com`])
      expect([email, await made(await newcomer(email))]).toEqual([email, 0]);
    // Whoever changes the address takes it along by the mailbox.
    const [ben, next] = [await newcomer(), randomUUID()];
    await make(ben);
    await move(ben, `${next}+1@example.com`);
    expect(await made(await newcomer(`${next}+2@example.com`))).toBe(0);
  });

  it('of two spellings at once one has it', async () => {
    const name = randomUUID();
    const people = await Promise.all(Array.from({ length: 6 }, (_, n) => newcomer(`${name}+${n}@example.com`)));
    const given = await Promise.all(people.map(made));
    expect(given.toSorted((one = 0, other = 0) => one - other)).toEqual([0, 0, 0, 0, 0, CREDIT]);
  });

  it('by the address as it is, too, where that was counted before', async () => {
    const email = `${randomUUID()}+1@example.com`;
    const { credit_key } = await db().selectFrom('installation').select('credit_key').executeTakeFirstOrThrow();
    const person_key = createHmac('sha256', credit_key).update(email).digest();
    await db()
      .insertInto('credits_given')
      .values({ person_key, given_at: new Date(), organization_id: randomUUID() })
      .execute();
    const ben = await newcomer(email);
    expect(await made(ben)).toBe(0);
    const next = `${randomUUID()}@example.com`;
    await move(ben, next);
    await deleteUser(ben);
    expect(await made(await newcomer(next))).toBe(0);
  });

  it('by the next address as well as by the one before, where somebody changes it', async () => {
    const ben = await newcomer();
    await make(ben);
    const [next, last] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
    await move(ben, next);
    expect(await made(ben)).toBe(0);
    await move(ben, last);
    await deleteUser(ben);
    for (const email of [ben.email, next, last]) expect(await made(await newcomer(email))).toBe(0);
    // Who has not had it takes nothing along.
    const eve = await newcomer();
    await move(eve, `${randomUUID()}@example.com`);
    expect(await made(eve)).toBe(CREDIT);
  });

  it('by the same key, whichever of several makes it first', async () => {
    await unguarded(db(), (trx) => trx.deleteFrom('credits_given').execute());
    await db().deleteFrom('installation').execute();
    const people = await Promise.all(Array.from({ length: 4 }, () => newcomer()));
    expect(await Promise.all(people.map(made))).toEqual([CREDIT, CREDIT, CREDIT, CREDIT]);
    expect(await Promise.all(people.map(made))).toEqual([0, 0, 0, 0]);
  });
});

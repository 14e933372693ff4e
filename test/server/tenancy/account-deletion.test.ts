/** PPL-01 to PPL-08: what becomes of an account that is deleted, on both databases. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AccountDeletionCheck } from '#contract/accounts.ts';
import { ApiKeyCreated } from '#contract/api-keys.ts';
import { ApiError } from '#contract/errors.ts';
import { OrganizationCreated } from '#contract/organizations.ts';
import { openSession } from '#server/identity/accounts/sessions.ts';
import { hashPassword } from '#server/identity/accounts/passwords.ts';
import { pseudonymOf } from '#server/identity/accounts/pseudonym.ts';
import { queuedMail } from '#server/platform/mail/queue.ts';
import { sealerFor } from '#server/platform/sealed.ts';
import { PASSWORD } from '#test/passwords.ts';
import { follow } from '../events-reader.ts';
import { freshSignIn } from '../fresh-sign-in.ts';
import type { TestUser } from '../harness.ts';
import { ended as usage, writeUsage } from '../usage.ts';
import { eventually } from '../eventually.ts';
import { liveKey, startSpeechServer, type SpeechServer } from '../speech-api/harness.ts';
import { begin, failure } from '../speech-api/live/live-client.ts';
import { mailsTo, publicCall, signUp } from '../browser.ts';
import { auditOf, colleague, deletionOf, invited, join, organizationOf, outcomeOf, projectOf } from '../people.ts';
import { dropOrganizations } from '../money/books.ts';

const DELETION = '/api/v2/user/deletion/';

let server: SpeechServer;
let hash: string;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
  server = await startSpeechServer();
  hash = await hashPassword(PASSWORD);
});
afterAll(() => server.close());
beforeEach(async () => {
  ada = await server.createUser();
  bob = await member();
});

const givePassword = ({ userId }: TestUser, password_hash: string | null = hash): Promise<unknown> =>
  server.services.db.updateTable('users').set({ password_hash }).where('id', '=', userId).execute();
/** Somebody with a password, in Ada's organization and in none of their own. */
async function member(role: 'owner' | 'member' = 'member', email = `${randomUUID()}@example.com`): Promise<TestUser> {
  const user = await server.createUser({ email });
  const { db } = server.services;
  await dropOrganizations(db, [user.organizationId]);
  await givePassword(user);
  await join(server, ada, user, role);
  return user;
}
const leave = (user: TestUser, password = PASSWORD, email = user.email): Promise<Response> =>
  server.call(user, 'POST', DELETION, { email, password });
const check = async (user: TestUser): Promise<AccountDeletionCheck> =>
  v.parse(AccountDeletionCheck, await (await server.call(user, 'GET', DELETION)).json());
const makeKey = async (user: TestUser): Promise<ApiKeyCreated> =>
  v.parse(ApiKeyCreated, await (await server.call(user, 'POST', `${projectOf(ada)}api-keys/`, { name: 'CI' })).json());
/** The status of a speech call with this key. */
const asked = async (key: string): Promise<number> =>
  (await fetch(`${server.url}/v1/files`, { headers: { authorization: `Bearer ${key}` } })).status;
const owners = async (): Promise<string[]> =>
  (
    await server.services.db
      .selectFrom('memberships')
      .select('user_id')
      .where('organization_id', '=', ada.organizationId)
      .where('role', '=', 'owner')
      .execute()
  ).map(({ user_id }) => user_id);
const userExists = async (user: TestUser): Promise<boolean> =>
  (await server.services.db.selectFrom('users').select('id').where('id', '=', user.userId).execute()).length > 0;

/** Every text of the database that names somebody, by table. */
async function tablesWith(text: string): Promise<string[]> {
  const { db } = server.services;
  const { rows } = await sql<{
    tablename: string;
  }>`select tablename from pg_tables where schemaname = 'public'`.execute(db);
  const found: string[] = [];
  for (const { tablename } of rows) {
    const { rows: hits } = await sql`select 1 from ${sql.table(tablename)} as row
      where strpos(lower(row::text), ${text.toLowerCase()}) > 0 limit 1`.execute(db);
    if (hits.length > 0) found.push(tablename);
  }
  return found;
}

describe('PPL-01: an account is deleted by its person alone, who confirms it', () => {
  it('with the e-mail address and the password; wrong ones are counted as any wrong passwords are', async () => {
    expect(await outcomeOf(await leave(bob, PASSWORD, ada.email))).toBe('400 invalid_credentials');
    const wrong = await leave(bob, 'not this one');
    const problem = v.parse(ApiError, await wrong.json());
    expect([wrong.status, problem.validation_errors[0]?.location]).toEqual([400, 'body.password']);
    const guesses = await Promise.all(Array.from({ length: 10 }, async () => outcomeOf(await leave(bob, 'a guess'))));
    expect(guesses).toContain('429 limit_exceeded');
    expect(await userExists(bob)).toBe(true);
    server.advance(60_000);
    expect((await leave(bob, PASSWORD, ` ${bob.email.toUpperCase()}`)).status).toBe(204);
    expect(await userExists(bob)).toBe(false);
  });

  it('without a password, by a session that began within ten minutes', async () => {
    await givePassword(bob, null);
    expect((await check(bob)).confirmed_by).toBe('recent_sign_in');
    const old = await freshSignIn(server, bob);
    await server.services.db
      .updateTable('sessions')
      .set({ created_at: new Date(server.services.clock().getTime() - 601_000) })
      .where('user_id', '=', bob.userId)
      .execute();
    expect((await check(old)).confirmed_by).toBe('sign_in_again');
    expect(await outcomeOf(await leave(old, ''))).toBe('400 sign_in_again');
    expect((await leave(await freshSignIn(server, bob), '')).status).toBe(204);
  });
});

describe('PPL-02: no organization is left without an owner', () => {
  it('whoever is the only owner of one is told of which, and how many others it has', async () => {
    await givePassword(ada);
    expect(await check(ada)).toEqual({
      organizations: [{ uuid: ada.organizationId, name: 'Test organization', others: 1 }],
      api_keys: 0,
      confirmed_by: 'password',
    });
    expect(await outcomeOf(await leave(ada))).toBe('400 last_owner');
    expect((await check(bob)).organizations).toEqual([]);
    const second = await member('owner');
    expect((await check(ada)).organizations).toEqual([]);
    expect((await leave(ada)).status).toBe(204);
    expect(await owners()).toEqual([second.userId]);
    // Also of one that nobody else belongs to: its money and recordings are deleted by an act of their own.
    expect((await leave(bob)).status).toBe(204);
    expect(await check(second)).toMatchObject({ organizations: [{ others: 0 }] });
    expect(await outcomeOf(await leave(second))).toBe('400 last_owner');
  });

  it('of all owners who delete themselves at the same time one remains', async () => {
    await givePassword(ada);
    const all = [ada, await member('owner'), await member('owner')];
    const outcomes = await Promise.all(all.map(async (user) => outcomeOf(await leave(user))));
    expect(outcomes.toSorted()).toEqual(['204', '204', '400 last_owner']);
    expect(await owners()).toEqual([all[outcomes.indexOf('400 last_owner')]?.userId]);
  });

  it.each([
    ['is demoted', 'PUT', { role: 'member' }],
    ['leaves', 'DELETE', undefined],
  ])('nor where the other owner %s at the same time', async (_what, method, body) => {
    const [first, second] = [await member('owner'), await member('owner')];
    await server.services.db
      .updateTable('memberships')
      .set({ role: 'member' })
      .where('user_id', '=', ada.userId)
      .execute();
    await Promise.all([
      leave(first),
      server.call(second, method, `${organizationOf(ada)}users/${second.userId}/`, body),
    ]);
    expect(await owners()).toHaveLength(1);
  });
});

describe('PPL-03: with the account end its sessions, streams and keys, at once', () => {
  it('access and refresh tokens are no longer good, and open pages are told that the account was deleted', async () => {
    const pair = await openSession(server.services, bob);
    const [here, there] = [await follow(server, bob), await follow(server, { ...bob, access: pair.access })];
    expect((await leave(bob)).status).toBe(204);
    await Promise.all([here.ended, there.ended]);
    for (const { events } of [here, there])
      expect(events.at(-1)).toEqual({ type: 'session.ended', reason: 'account_deleted' });
    expect(await outcomeOf(await server.call(bob, 'GET', '/api/v2/user/'))).toBe('401 unauthenticated');
    expect(await outcomeOf(await leave(bob))).toBe('401 unauthenticated');
    const renewed = await publicCall(server, 'POST', '/api/v2/token/refresh/', { refresh: pair.refresh });
    expect(await outcomeOf(renewed)).toBe('401 unauthenticated');
  });

  it('its keys in the organizations that it belongs to are revoked, live streams end; those it left before go on', async () => {
    const carl = await colleague(server, ada, 'admin');
    const left = await makeKey(carl);
    await givePassword(carl);
    await server.call(ada, 'DELETE', `${organizationOf(ada)}users/${carl.userId}/`);
    await dropOrganizations(server.services.db, [carl.organizationId]);
    const { key } = await makeKey(bob);
    expect((await check(bob)).api_keys).toBe(1);
    const [byKey, byPerson] = [
      await begin(server, { api_key: key }),
      await begin(server, { api_key: await liveKey(server, { ...bob, projectId: ada.projectId }) }),
    ];
    expect((await leave(bob)).status).toBe(204);
    for (const client of [byKey, byPerson]) expect(await failure(client)).toMatchObject({ error_code: 401 });
    expect(await asked(key)).toBe(401);
    expect((await leave(carl)).status).toBe(204);
    expect(await asked(left.key)).toBe(200);
  });

  it('a key that is made at the same time does not slip through, nor does a sign-in', async () => {
    for (let round = 0; round < 4; round += 1) {
      const user = await member();
      const [made, session, left] = await Promise.all([
        server.call(user, 'POST', `${projectOf(ada)}api-keys/`, { name: `Round ${round}` }),
        publicCall(server, 'POST', '/api/v2/token/', { email: user.email, password: PASSWORD }),
        leave(user),
      ]);
      expect(left.status).toBe(204);
      expect([201, 401, 404]).toContain(made.status);
      expect([200, 400]).toContain(session.status);
      const { access = '', key = '' } = {
        ...v.parse(v.object({ access: v.optional(v.string()) }), await session.json()),
        ...v.parse(v.object({ key: v.optional(v.string()) }), await made.json()),
      };
      expect((await server.call({ ...user, access }, 'GET', '/api/v2/user/')).status).toBe(401);
      expect(await asked(key)).toBe(401);
    }
    const { db } = server.services;
    expect(
      await db
        .selectFrom('api_keys')
        .select('id')
        .where('revoked_at', 'is', null)
        .where('created_by', 'is', null)
        .where('name', 'like', 'Round%')
        .execute(),
    ).toEqual([]);
  });

  it('who has proved their password as the account goes gets no session', async () => {
    await leave(bob);
    await expect(openSession(server.services, bob)).rejects.toMatchObject({ type: 'invalid_credentials' });
  });
});

describe('PPL-04: invitations and mails to the person go', () => {
  it('open invitations are taken back, with a word in the log of their organization; what is accepted meanwhile ends, too', async () => {
    const eve = await server.createUser();
    await invited(server, eve, { email: bob.email, role: 'member' });
    const racing = await server.createUser();
    const { token } = await invited(server, racing, { email: bob.email, role: 'owner' });
    const [, left] = await Promise.all([
      server.call(bob, 'POST', `/api/v2/organizations/invite/${token}/`),
      leave(bob),
    ]);
    expect(left.status).toBe(204);
    const { db } = server.services;
    expect(
      await db.selectFrom('memberships').select('role').where('organization_id', '=', racing.organizationId).execute(),
    ).toEqual([{ role: 'owner' }]);
    expect(await db.selectFrom('invitations').select('id').where('email', '=', bob.email).execute()).toEqual([]);
    expect((await auditOf(server, eve)).map(({ action, subject }) => [action, subject])).toEqual([
      ['invitation.revoked', pseudonymOf(bob.userId)],
      ['invitation.created', pseudonymOf(bob.userId)],
    ]);
  });

  it('those that the person sent stay open, in nobody’s name', async () => {
    const second = await member('owner');
    const sent = await invited(
      server,
      { ...ada, access: second.access },
      { email: 'guest@example.com', role: 'member' },
    );
    expect((await leave(second)).status).toBe(204);
    const nobodys = { email: 'guest@example.com', invited_by: null };
    const view = await fetch(`${server.url}/api/v2/organizations/invite/${sent.token}/`);
    expect(await view.json()).toMatchObject(nobodys);
    const listed = await server.call(ada, 'GET', `${organizationOf(ada)}invite/`);
    expect(await listed.json()).toMatchObject({ invitations: [nobodys] });
  });

  it('mails that wait for the mail server are dropped, those to others are not', async () => {
    const { db, clock, secretFor } = server.services;
    const mail = queuedMail(sealerFor(secretFor, 'letters'), clock);
    const stranger = queuedMail(sealerFor(secretFor, 'of another key'), clock);
    await db.transaction().execute(async (trx) => {
      const send = (by: typeof mail, to: string) => by.send(trx, { to, subject: 's', text: 't', html: 'h' });
      for (let count = 0; count < 230; count += 1)
        await send(mail, count % 100 === 99 ? bob.email.toUpperCase() : ada.email);
      await send(stranger, bob.email);
    });
    await db.transaction().execute((trx) => mail.forget(trx, [bob.email]));
    expect(await db.selectFrom('mails').select('id').execute()).toHaveLength(229);
    await db.deleteFrom('mails').execute();
    await db.deleteFrom('jobs').execute();
  });

  it('one last mail says that the account was deleted', async () => {
    await publicCall(server, 'PUT', '/api/v2/user/password/recover/', { email: bob.email });
    expect((await leave(bob)).status).toBe(204);
    expect((await mailsTo(server, bob.email)).map(({ subject }) => subject)).toEqual([
      expect.stringContaining('Your account was deleted'),
    ]);
  });
});

describe('PPL-05: what stays names nobody', () => {
  it('the audit log of each organization notes it, and has a pseudonym wherever the person stood', async () => {
    await makeKey(bob);
    await server.call(ada, 'PUT', `${organizationOf(ada)}users/${bob.userId}/`, { role: 'owner' });
    await server.call(bob, 'PUT', organizationOf(ada), { name: 'Acme', contact_email: bob.email });
    expect((await leave(bob)).status).toBe(204);
    const name = pseudonymOf(bob.userId);
    expect(name).toMatch(/^Deleted person [\da-f]{8}$/);
    expect(
      (await auditOf(server, ada)).map(({ action, actor, subject, detail }) => [action, actor, subject, detail]),
    ).toEqual([
      ['member.removed', name, name, 'owner, deleted the account'],
      ['organization.updated', name, 'Acme', `contact e-mail: ${name} → ${ada.email}`],
      ['api_key.revoked', name, 'CI', expect.any(String)],
      ['organization.updated', name, 'Acme', `name: Test organization → Acme; contact e-mail: ${ada.email} → ${name}`],
      ['member.role_changed', ada.email, name, 'member → owner'],
      ['api_key.created', name, 'CI', expect.any(String)],
    ]);
  });

  it('usage and logs go on under the pseudonym; no table has the address, a hash of the password or a name', async () => {
    const user = await member('member', `bob.smith+tag-${randomUUID()}@Example.com`);
    await server.call(user, 'PUT', '/api/v2/user/', { name: 'Robert Tables' });
    await makeKey(user);
    const { db, clock } = server.services;
    await db
      .insertInto('sso_identities')
      .values({ issuer: 'https://idp', subject: `sub-${user.userId}`, user_id: user.userId, created_at: clock() })
      .execute();
    await writeUsage(db, [usage({ project_id: ada.projectId, user_id: user.userId, ended_at: clock() })]);
    server.speech.refusedLog.note({
      requestId: randomUUID(),
      caller: { projectId: ada.projectId, origin: 'playground', apiKeyId: null, userId: user.userId },
      kind: 'async',
      model: null,
      clientReferenceId: null,
      asked: null,
      code: 400,
      type: 'invalid_request',
      message: 'Invalid request.',
    });
    await server.speech.refusedLog.flush();
    await publicCall(server, 'PUT', '/api/v2/signup/verify-email/', { email: user.email });
    await invited(server, await server.createUser(), { email: user.email.toUpperCase(), role: 'member' });
    expect(await tablesWith(user.email)).toEqual(
      expect.arrayContaining(['users', 'outbox', 'audit_log', 'invitations']),
    );
    expect((await leave(user)).status).toBe(204);
    // Counts of calls, which are forgotten within a day, and the last mail until it has left.
    await db.deleteFrom('rate_limits').execute();
    expect(await tablesWith(user.email)).toEqual(['outbox']);
    expect(await tablesWith('Robert Tables')).toEqual([]);
    expect(await tablesWith(`sub-${user.userId}`)).toEqual([]);
    const logs = await (await server.call(ada, 'GET', `${projectOf(ada)}logs/`)).json();
    const person = pseudonymOf(user.userId);
    expect(logs).toMatchObject({ logs: [{ status: 'refused', person }, { person }] });
  });

  it('somebody whose address has theirs in it keeps their own', async () => {
    const other = `not-${bob.email}`;
    await server.call(ada, 'PUT', organizationOf(ada), { name: 'Acme', contact_email: other });
    await server.call(ada, 'PUT', organizationOf(ada), { name: 'Acme', contact_email: `${bob.email}.au` });
    await server.call(ada, 'PUT', organizationOf(ada), { name: 'Acme', contact_email: other });
    expect((await leave(bob)).status).toBe(204);
    const details = (await auditOf(server, ada)).map(({ detail }) => detail);
    expect(details).toContain(`contact e-mail: ${other} → ${bob.email}.au`);
  });
});

describe('PPL-06: the address is free again', () => {
  it('LED-07: but what it begins with: of the starting credit a keyed digest tells that it was given', async () => {
    const [eve, other] = [await server.createUser(), await server.createUser()];
    await givePassword(eve);
    await server.call(eve, 'DELETE', await deletionOf(server, eve));
    expect((await leave(eve)).status).toBe(204);
    expect(await tablesWith(eve.email)).toEqual(['outbox']);
    expect(await tablesWith(eve.userId)).toEqual([]);
    const signedUp = await signUp(server, eve.email, PASSWORD);
    const { access } = v.parse(v.object({ access: v.string() }), await signedUp.json());
    const made = await server.call({ access }, 'POST', '/api/v2/organizations/', {
      name: 'Again',
      contact_email: eve.email,
    });
    const { organization } = v.parse(OrganizationCreated, await made.json());
    const balances = await server.services.db
      .selectFrom('accounts')
      .select('balance_micros')
      .where('organization_id', 'in', [organization.uuid, other.organizationId])
      .orderBy('balance_micros')
      .execute();
    expect(balances.map(({ balance_micros }) => balance_micros)).toEqual([0, 10_000_000]);
  });

  it('who signs up with it is somebody new, in no organization', async () => {
    expect((await leave(bob)).status).toBe(204);
    const answer = await signUp(server, bob.email, PASSWORD);
    expect(answer.status).toBe(200);
    const { access } = v.parse(v.object({ access: v.string() }), await answer.json());
    const anew = { ...bob, access };
    expect(await (await server.call(anew, 'GET', '/api/v2/user/')).json()).toMatchObject({
      email: bob.email,
      name: '',
    });
    expect(await (await server.call(anew, 'GET', '/api/v2/user/organizations/')).json()).toEqual({ organizations: [] });
    await eventually(async () => expect(await userExists(bob)).toBe(false));
  });
});

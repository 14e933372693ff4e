/** One secret takes the place of another, while servers work and nothing is lost. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '#server/app/admin/commands.ts';
import { PLACES } from '#server/app/admin/secrets.ts';
import type { AppEnv } from '#server/http/env.ts';
import { deviceCookies } from '#server/identity/accounts/device-cookies.ts';
import { knownDevice, rememberDevice } from '#server/identity/accounts/devices.ts';
import { signAccess, verifyAccess } from '#server/identity/auth.ts';
import { receiptUrl, readReceipt } from '#server/money/billing/receipts.ts';
import { postEntry } from '#server/money/ledger/accounts.ts';
import { issueReceipt } from '#server/money/ledger/receipts.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import { ConfigError, loadConfig } from '#server/platform/config.ts';
import type { Services } from '#server/platform/context.ts';
import { Unreadable } from '#server/platform/sealed.ts';
import { loadSecret, type SecretFor } from '#server/platform/secrets.ts';
import { LINK_SECRET, signLink, verifyLink } from '#server/speech-api/files/links.ts';
import { INVITATION_SECRET } from '#server/tenancy/invitations/accept.ts';
import { invitationOf, signInvitation } from '#server/tenancy/invitations/token.ts';
import { databaseKind } from '../databases.ts';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';

const [OLD, NEW] = ['old '.repeat(10), 'new '.repeat(10)];
const secrets = (secretKey: string, ...acceptedKeys: string[]): SecretFor =>
  loadSecret({ secretKey, acceptedKeys, dataDir: '' });
/** As processes have them one after the other. */
const [before, first, second, after] = [secrets(OLD), secrets(OLD, NEW), secrets(NEW, OLD), secrets(NEW)];

let server: TestServer;
let user: TestUser;
beforeAll(async () => {
  server = await startTestServer();
  user = await server.createUser();
});
afterAll(() => server.close());
const processWith = (secretFor: SecretFor): Services => ({ ...server.services, secretFor });
const run = async (secretFor: SecretFor, verb: string) =>
  runCommand({ ...processWith(secretFor), limitDefaults: LIMIT_DEFAULTS }, ['secrets', verb]);

/** What came of it, or the name of the refusal. */
const endOf = (work: Promise<string>): Promise<string> =>
  work.catch((error: unknown) => (error instanceof Error ? error.name : 'nothing'));

describe('OPS-90: SECRET_KEYS_ACCEPTED', () => {
  it('names other keys, each as long as the key itself has to be', () => {
    expect(
      loadConfig({ SECRET_KEY: NEW, SECRET_KEYS_ACCEPTED: `${OLD.trim()}, ${'x'.repeat(32)}` }).acceptedKeys,
    ).toEqual([OLD.trim(), 'x'.repeat(32)]);
    for (const [settings, problem] of [
      [
        { SECRET_KEY: NEW, SECRET_KEYS_ACCEPTED: `${OLD},short` },
        /SECRET_KEYS_ACCEPTED\S* must be keys of at least 32/,
      ],
      [{ SECRET_KEYS_ACCEPTED: OLD }, /SECRET_KEYS_ACCEPTED is set without SECRET_KEY/],
    ] as const) {
      expect(() => loadConfig(settings)).toThrow(ConfigError);
      expect(() => loadConfig(settings)).toThrow(problem);
    }
  });

  it('count for what comes back, and never for what is made', () => {
    expect(second('a')).toEqual(after('a'));
    expect(second.accepted('a')).toEqual([after('a'), before('a')]);
    const sealed = PLACES[0]?.sealer(second).seal('text', 'row') ?? '';
    expect(PLACES[0]?.sealer(after).open(sealed, 'row')).toBe('text');
    expect(() => PLACES[0]?.sealer(before).open(sealed, 'row')).toThrow(Unreadable);
  });
});

describe('OPS-91: two processes in the middle of a change', () => {
  /** Who made something, who reads it, and whether that works. */
  const PAIRS: [string, SecretFor, SecretFor, boolean][] = [
    ['before → first', before, first, true],
    ['first → before', first, before, true],
    ['first → second', first, second, true],
    ['second → first', second, first, true],
    ['second → after', second, after, true],
    ['after → second', after, second, true],
    ['second → before', second, before, false],
    ['before → after', before, after, false],
  ];

  it.each(PAIRS)(
    '%s: tokens, links, devices and sealed texts of the one at the other',
    async (_name, maker, reader, works) => {
      const [from, to] = [processWith(maker), processWith(reader)];
      const now = server.services.clock();
      const { access } = await signAccess(from, user);
      expect((await verifyAccess(to, access))?.userId).toBe(works ? user.userId : undefined);
      const link = signLink(maker(LINK_SECRET), user.userId, now);
      expect(verifyLink(reader.accepted(LINK_SECRET), user.userId, link, now)).toBe(works);
      const invitation = signInvitation(maker(INVITATION_SECRET), user.userId);
      expect(invitationOf(reader.accepted(INVITATION_SECRET), invitation)).toBe(works ? user.userId : undefined);
      const { url } = await new TestDriver(from).openPage({ paymentId: user.userId } as Parameters<
        TestDriver['openPage']
      >[0]);
      expect(new TestDriver(to).paymentOf(url.split('/').at(-1) ?? '')).toBe(works ? user.userId : undefined);
      for (const { sealer } of PLACES) {
        const read = async (): Promise<string> => sealer(reader).open(sealer(maker).seal('text', 'row'), 'row');
        expect(await endOf(read())).toBe(works ? 'text' : 'Unreadable');
      }
      const credentials = { id: user.userId, email_key: user.email, password_hash: 'none' };
      const devices = new Hono<AppEnv>()
        .get('/remember', async (c) => {
          await rememberDevice(from, deviceCookies(from, c), user.userId);
          return c.text('');
        })
        .get('/known', (c) => c.text(knownDevice(to, deviceCookies(to, c), credentials) ?? 'unknown'));
      const cookie = (await devices.request('/remember')).headers.get('set-cookie')?.split(';')[0] ?? '';
      const known = await (await devices.request('/known', { headers: { cookie } })).text();
      expect(known).toMatch(works ? /^[\w-]{22}$/ : /^unknown$/);
    },
  );

  it('addresses of receipts', async () => {
    const { db, clock, config } = server.services;
    const { organizationId } = user;
    const cause = `payment:${randomUUID()}`;
    await postEntry(db, { organizationId, kind: 'payment', micros: 1_000_000, cause, description: 'd', at: clock() });
    await issueReceipt(db, cause, config);
    const { id } = await db
      .selectFrom('ledger_entries')
      .select('id')
      .where('cause', '=', cause)
      .executeTakeFirstOrThrow();
    for (const [, maker, reader, works] of PAIRS) {
      const { url } = await receiptUrl(processWith(maker), organizationId, id);
      const read = readReceipt(processWith(reader), url.split('/').at(-1) ?? '');
      expect(await endOf(read.then(({ kind }) => kind))).toBe(works ? 'receipt' : 'Refusal');
    }
  });
});

describe('OPS-92: npm run admin -- secrets rotate', () => {
  const [mail, transcription, rolled] = [randomUUID(), randomUUID(), randomUUID()];
  const about: Record<string, string> = {
    mails: mail,
    transcriptions: transcription,
    webhook_deliveries: transcription,
    webhook_secrets: rolled,
    sso_attempts: 'hash',
  };
  const sealedBy = (secretFor: SecretFor, table: string): string =>
    PLACES.find((place) => place.table === table)
      ?.sealer(secretFor)
      .seal(`text of ${table}`, about[table] ?? '') ?? '';
  beforeEach(async () => {
    const { db, clock } = server.services;
    const [project_id, created_at] = [user.projectId, clock()];
    for (const { table } of PLACES) await sql`delete from ${sql.table(table)}`.execute(db);
    await db
      .insertInto('mails')
      .values({ id: mail, sealed: sealedBy(before, 'mails'), created_at })
      .execute();
    await sql`insert into transcriptions (id, project_id, status, model, filename, enable_speaker_diarization,
      enable_language_identification, origin, created_at, webhook_auth_sealed)
      values (${transcription}, ${project_id}, 'completed', 'm', 'f', false, false, 'playground', ${created_at},
      ${sealedBy(before, 'transcriptions')})`.execute(db);
    await db
      .insertInto('webhook_deliveries')
      .values({
        ...{ transcription_id: transcription, project_id, status: 'completed', address: 'https://example.com' },
        ...{ target: sealedBy(before, 'webhook_deliveries'), state: 'waiting' },
        ...{ created_at, changed_at: created_at },
      })
      .execute();
    await db
      .insertInto('webhook_secrets')
      .values({ id: rolled, project_id, sealed: sealedBy(before, 'webhook_secrets'), created_at })
      .execute();
    await db
      .insertInto('sso_attempts')
      .values({
        ...{ state_hash: 'hash', nonce: 'n', code_verifier: sealedBy(before, 'sso_attempts') },
        ...{ created_at, expires_at: created_at },
      })
      .execute();
  });
  /** All that is sealed, as somebody with these secrets reads it. */
  const opened = async (secretFor: SecretFor): Promise<string[]> =>
    Promise.all(
      PLACES.map(async ({ table, column, about: key, sealer }) => {
        const { rows } = await sql<{
          text: string;
          key: string;
        }>`select ${sql.ref(column)} as text, ${sql.ref(key)} as key
          from ${sql.table(table)}`.execute(server.services.db);
        return sealer(secretFor).open(rows[0]?.text ?? '', rows[0]?.key ?? '');
      }),
    );
  const TEXTS = PLACES.map(({ table }) => `text of ${table}`);

  it('knows every column of the database that holds sealed texts', async () => {
    const { rows } = await sql<{
      name: string;
    }>`select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = current_schema() and (column_name like '%sealed%' or column_name in ('target', 'code_verifier'))
      order by 1`.execute(server.services.db);
    expect(rows.map(({ name }) => name)).toEqual(PLACES.map(({ table, column }) => `${table}.${column}`).toSorted());
  });

  it('seals all anew, once, however many do so, and tells what is left', async () => {
    expect((await run(second, 'check')).data).toMatchObject({ left: 5, lost: 0 });
    const [one, other] = await Promise.all([run(second, 'rotate'), run(second, 'rotate')]);
    const anew = [one, other].map(({ data }) => Number(Reflect.get(Object(data), 'sealed_anew')));
    expect((anew[0] ?? 0) + (anew[1] ?? 0)).toBe(5);
    expect((await run(second, 'check')).data).toMatchObject({ left: 0, lost: 0 });
    expect((await run(after, 'check')).text).toMatch(
      /^waiting mails: 1 with the current key, 0 with another accepted key$[^]*\nNothing needs another key\.$/m,
    );
    expect(await opened(after)).toEqual(TEXTS);
    expect(await opened(first)).toEqual(TEXTS);
  });

  it('goes on where it was broken off, and all can be read meanwhile', async () => {
    let seals = 0;
    const dying: SecretFor = Object.assign(
      (purpose: string) => {
        seals += 1;
        if (seals > 2) throw new Error('killed');
        return second(purpose);
      },
      { accepted: second.accepted, reload: second.reload },
    );
    await expect(run(dying, 'rotate')).rejects.toThrow('killed');
    expect((await run(second, 'check')).data).toMatchObject({ left: 3 });
    expect(await opened(first)).toEqual(TEXTS);
    expect(await opened(second)).toEqual(TEXTS);
    expect((await run(second, 'rotate')).data).toMatchObject({ sealed_anew: 3, left: 0 });
    expect(await opened(after)).toEqual(TEXTS);
  });

  it('leaves alone what somebody changes meanwhile, and what cannot be read', async () => {
    const { db } = server.services;
    const lost = 'lost'.repeat(10);
    await db
      .updateTable('mails')
      .set({ sealed: sealedBy(secrets(lost), 'mails') })
      .execute();
    // The other process rolls the secret just after it was read.
    let change: Promise<unknown> | undefined;
    const rolling = sealedBy(second, 'webhook_secrets');
    const watched = {
      ...processWith(second),
      db: db.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          const isRead = result.rows.some((row) => row['key'] === rolled);
          if (!isRead || change !== undefined) return result;
          change = db.updateTable('webhook_secrets').set({ sealed: rolling }).execute();
          // The one connection of the embedded database is free once this returns, and the change is next in line.
          if (databaseKind === 'postgres') await change;
          return result;
        },
      }),
    };
    const { data } = await runCommand({ ...watched, limitDefaults: LIMIT_DEFAULTS }, ['secrets', 'rotate']);
    await change;
    expect(data).toMatchObject({ sealed_anew: 3, left: 0, lost: 1 });
    const kept = await db.selectFrom('webhook_secrets').select('sealed').executeTakeFirst();
    expect(kept?.sealed).toBe(rolling);
  });

  it('is not what a server needs whose key is given: that is changed in its settings', async () => {
    const config = { ...server.services.config, secretKey: NEW };
    for (const verb of ['renew', 'forget'])
      await expect(
        runCommand({ ...processWith(second), config, limitDefaults: LIMIT_DEFAULTS }, ['secrets', verb]),
      ).rejects.toThrow('SECRET_KEY sets the secret key');
  });

  it('OPS-93: a key in the data directory is renewed at once; the ones before count until they are forgotten', async () => {
    const { dataDir, services } = server;
    const { secretFor } = services;
    const kept = (name: string): string => readFileSync(join(dataDir, name), 'utf8').trim();
    const master = kept('secret-key');
    const fromDirectory = (): SecretFor => loadSecret({ secretKey: undefined, dataDir });
    await services.db
      .updateTable('mails')
      .set({ sealed: sealedBy(secretFor, 'mails') })
      .execute();
    const file = await signAccess(services, user);
    const status = async (access: string): Promise<number> =>
      (await server.call({ ...user, access }, 'GET', '/api/v2/user/')).status;
    const works = await status(file.access);

    expect((await run(secretFor, 'renew')).data).toMatchObject({ sealed_anew: 1, left: 0 });
    expect([kept('secret-keys-before'), kept('secret-key') === master]).toEqual([master, false]);
    for (const name of ['secret-key', 'secret-keys-before'])
      expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
    expect(await status(file.access)).toBe(works);
    const { access } = await signAccess(services, user);
    expect(await status(access)).toBe(works);
    expect(fromDirectory().accepted('a')).toEqual(secretFor.accepted('a'));

    await services.db
      .updateTable('mails')
      .set({ sealed: sealedBy(secrets(master), 'mails') })
      .execute();
    await expect(run(secretFor, 'forget')).rejects.toThrow('1 texts are sealed with an earlier key');
    await run(secretFor, 'rotate');
    await run(secretFor, 'forget');
    expect(readdirSync(dataDir)).not.toContain('secret-keys-before');
    expect([await status(file.access), await status(access)]).toEqual([401, works]);

    // Ended between the two files: the one in use is among those before.
    writeFileSync(join(dataDir, 'secret-keys-before'), `${kept('secret-key')}\n`);
    expect(fromDirectory().accepted('a')).toEqual(secretFor.accepted('a'));
    writeFileSync(join(dataDir, 'secret-keys-before'), 'half a k');
    expect(fromDirectory).toThrow('holds a line that is no secret');
  });
});

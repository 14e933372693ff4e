/** What migrations make of use and money of before. */
import { randomUUID } from 'node:crypto';
import { Migrator, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { availableMicros } from '#server/money/ledger/accounts.ts';
import { grantStartingCredits } from '#server/money/ledger/credits.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { compareRollups, finishRebuild } from '#server/money/usage/rebuild.ts';
import type { Db } from '#server/platform/db/database.ts';
import { migrations } from '#server/platform/db/schema.ts';
import { openBareDatabase } from '../databases.ts';
import { CREDIT } from './served.ts';
import { useUp } from './usage/usage.ts';

const NOW = new Date('2026-05-20T12:00:00Z');
const [organization, project, gone, file, session, lost] = Array.from({ length: 6 }, () => randomUUID()) as Six;
const [fileRequest, sessionRequest, cancelledRequest, goneRequest] = Array.from({ length: 4 }, () => randomUUID());
type Six = [string, string, string, string, string, string];
/** What had stopped autopay, as it was told before there was a column for it. */
const STOPPED = [
  ['The card was declined.', 'declined'],
  [
    'The payment provider has not said whether the last charge went through. Until it does, nothing else is charged.',
    'unknown',
  ],
  ['A payment was refunded. So that it is not charged again at once, autopay waits for a reset.', 'refunded'],
  ['A payment was disputed with the bank. Autopay waits for a reset.', 'disputed'],
  [null, null],
].map(([message, why]) => ({ id: randomUUID(), message, why }));

let bare: Awaited<ReturnType<typeof openBareDatabase>>;
let db: Db;
const migrator = (): Migrator => new Migrator({ db, provider: { getMigrations: async () => migrations } });
const migrateTo = async (name: string): Promise<void> =>
  expect((await migrator().migrateTo(name)).error).toBeUndefined();
/** A row as an earlier version wrote it. */
const add = (table: string, row: Record<string, unknown>) =>
  sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
    values (${sql.join(Object.values(row))})`.execute(db);
const used = (project_id: string, request_id: string | undefined, ended: string, more: Record<string, unknown>) =>
  add('usage_logs', {
    id: randomUUID(),
    project_id,
    request_id,
    kind: 'async',
    origin: 'playground',
    model: 'm',
    status: 'completed',
    started_at: NOW,
    ended_at: new Date(ended),
    latency_ms: 0,
    input_audio_ms: 1000,
    input_text_tokens: 0,
    output_text_tokens: 7,
    ...more,
  });

beforeAll(async () => {
  bare = await openBareDatabase();
  db = bare.db;
  await migrateTo('0012-welcome');
  await add('organizations', { id: organization, name: 'Org', contact_email: 'a@example.com', created_at: NOW });
  const inOrganization = { organization_id: organization };
  await add('projects', { id: project, ...inOrganization, name: 'Here', description: '', created_at: NOW });
  await add('deleted_projects', { id: gone, ...inOrganization, name: 'Gone', deleted_at: NOW });
  await add('transcriptions', {
    id: file,
    project_id: project,
    status: 'completed',
    model: 'm',
    filename: 'a.wav',
    enable_speaker_diarization: false,
    enable_language_identification: false,
    origin: 'playground',
    created_at: NOW,
    request_id: fileRequest,
  });
  for (const [id, request_id, usage_log_id] of [
    [session, sessionRequest, null],
    [lost, null, randomUUID()],
  ])
    await add('live_sessions', {
      id,
      project_id: project,
      model: 'm',
      status: 'aborted',
      worker: 'w',
      lease_until: NOW,
      started_at: NOW,
      audio_ms: 1000,
      request_id,
      usage_log_id,
    });
  await used(project, fileRequest, '2026-04-30T23:59:59.999Z', { cost_micros: 28, latency_ms: 900 });
  await used(project, sessionRequest, '2026-05-01T00:00:00Z', { kind: 'real_time', cost_micros: 3, latency_ms: 430 });
  await used(project, lost, '2026-05-02T00:00:00Z', { kind: 'real_time', status: 'aborted' });
  const cancelled = { status: 'failed', error_type: 'cancelled', cost_micros: 20 };
  await used(project, cancelledRequest, '2026-05-01T23:30:00Z', cancelled);
  const failed = { status: 'failed', error_type: 'invalid_audio', cost_micros: 0 };
  await used(gone, goneRequest, '2025-11-02T00:00:00Z', failed);
  await migrateTo('0016-ledger');
  for (const { id, message } of STOPPED) {
    await add('organizations', { id, name: 'O', contact_email: 'a@example.com', created_at: NOW });
    await sql`update accounts set error_message = ${message}::text, error_at = ${message === null ? null : NOW}::timestamptz
      where organization_id = ${id}`.execute(db);
  }
});
afterAll(() => bare.close());

it('MET-01: usage logs are taken over, each under the name of its request where that is known', async () => {
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

it('MET-02: they lie in the part of their month', async () => {
  const { rows } = await sql<{
    part: string;
  }>`select distinct tableoid::regclass::text as part from usage_rows order by 1`.execute(db);
  expect(rows.map(({ part }) => part)).toEqual(['usage_rows_2025_11', 'usage_rows_2026_04', 'usage_rows_2026_05']);
});

it('UXP-56: transcriptions are told what they cost', async () => {
  const row = await db.selectFrom('transcriptions').select('cost_micros').where('id', '=', file).executeTakeFirst();
  expect(row).toEqual({ cost_micros: 28 });
});

it('a session that was taken for dead is left to be put right', async () => {
  const rows = await db.selectFrom('live_sessions').select('id').where('taken_for_dead', '=', true).execute();
  expect(rows).toEqual([{ id: lost }]);
});

it('LED-05: what was used before there was a ledger is posted by the day, and settled', async () => {
  const { rows } = await sql`select kind, amount_micros, balance_after_micros, day::text from ledger_entries
    where organization_id = ${organization} order by position`.execute(db);
  expect(rows).toEqual([
    { kind: 'usage', amount_micros: -28, balance_after_micros: -28, day: '2026-04-30' },
    { kind: 'usage', amount_micros: -23, balance_after_micros: -51, day: '2026-05-01' },
    { kind: 'correction', amount_micros: 51, balance_after_micros: 0, day: null },
  ]);
});

it('MET-04: what was used is counted when the server starts', async () => {
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
  expect([Number(requests), Number(cost)]).toEqual([5, 51]);
});

it('RCP-03 RCP-06 RCP-07: old receipts are numbered by time and keep known numbers and series, unless a restore ended it', async () => {
  await migrateTo('0039-used-credit');
  const [one = '', other = ''] = STOPPED.map(({ id }) => id);
  const payments = new Map<string, string>();
  const balances = new Map<string, number>();
  /** An entry, whose cause begins with its payment: one of a test, where that begins with a t. */
  const enter = async (organization_id: string, kind: string, amount_micros: number, cause: string, hour: number) => {
    const [, name = ''] = cause.split(':');
    const payment_id = payments.get(name) ?? randomUUID();
    if (!payments.has(name)) {
      const provider_id = name.startsWith('t') ? `test_${name}` : `pi_${name}`;
      const times = { run_at: NOW, created_at: NOW };
      const payment = { id: payment_id, organization_id, kind: 'payment', state: 'succeeded', key: name, ...times };
      await add('payments', { ...payment, amount_micros: 50, provider_id });
    }
    payments.set(name, payment_id);
    const [of, ...more] = cause.split(':');
    const at = new Date(`2026-05-01T0${hour}:00:00Z`);
    const balance_after_micros = (balances.get(organization_id) ?? CREDIT) + amount_micros;
    balances.set(organization_id, balance_after_micros);
    const said = { kind, amount_micros, payment_id, description: kind, at, balance_after_micros };
    const full = of === 'payment' ? `payment:${payment_id}` : `${of}:${more.join('-')}`;
    const id = randomUUID();
    await add('ledger_entries', { id, organization_id, cause: full, ...said });
    return id;
  };
  const entries = [
    await enter(one, 'payment', 50, 'payment:live', 1),
    await enter(other, 'payment', 50, 'payment:other', 3),
    await enter(one, 'refund', -20, 'refund:live', 2),
    await enter(one, 'payment', 50, 'payment:try', 2),
    await enter(one, 'correction', 20, 'refund-failed:live', 4),
  ] as const;
  await sql`update accounts set balance_micros =
    (select sum(amount_micros) from ledger_entries e where e.organization_id = accounts.organization_id)
    where organization_id in (${one}, ${other})`.execute(db);
  const kept = { organization: 'O', name: 'Then', address: '', tax_id: '', seller: 'S', is_test: false };
  await add('receipts', { entry_id: entries[0], ...kept });
  await add('receipts', { entry_id: entries[2], ...kept });
  await add('receipt_codes', { code: 'AB12', organization_id: one });
  await migrateTo('0053-wanted-funds');
  for (const sign of [-1, 1]) {
    await enter(one, 'dispute', 30 * sign, `dispute${sign < 0 ? '' : '-won'}:live`, 5);
    await enter(one, 'fee', 15 * sign, `dispute-fee-${sign < 0 ? 'taken' : 'returned'}:live`, 5);
  }
  const series = db.selectFrom('receipt_series').select(['series', 'base', 'seller', 'next']).orderBy('series');
  expect(await series.execute()).toEqual([
    { series: 'R', base: 'R', seller: 'S', next: 5 },
    { series: 'TEST-R', base: 'TEST-R', seller: null, next: 2 },
  ]);
  // As a restore leaves it.
  await add('provider_looks', { next_at: new Date(0), restored: true });
  expect((await migrator().migrateToLatest()).error).toBeUndefined();
  expect(await series.where('ended_at', 'is', null).execute()).toEqual([]);
  const { rows } = await sql`select entry_id, series, number, kind, refers_to, total_micros, earlier_number, name
    from receipts order by series, number`.execute(db);
  const now = { name: '', refers_to: null, total_micros: 50, kind: 'receipt' };
  const then = { series: 'R', earlier_number: 'R-AB12-0001', ...now, name: 'Then' };
  const given = {
    ...then,
    total_micros: 20,
    earlier_number: 'R-AB12-0002',
    kind: 'credit_note',
    refers_to: entries[0],
  };
  expect(rows).toEqual([
    { entry_id: entries[0], number: 1, ...then },
    { entry_id: entries[2], number: 2, ...given },
    { entry_id: entries[1], number: 3, series: 'R', earlier_number: null, ...now },
    { entry_id: entries[4], number: 4, ...given, earlier_number: null, kind: 'reversal', refers_to: entries[2] },
    { entry_id: entries[3], number: 1, series: 'TEST-R', earlier_number: 'R-AB12-0003', ...now },
  ]);
  // Whose money it was, where that is known.
  const { rows: modes } = await sql`select payments.mode, entries.mode as of_entry, key from payments
    join ledger_entries entries on payment_id = payments.id where entries.kind = 'payment' and key in ('live', 'try') order by key`.execute(
    db,
  );
  expect(modes).toEqual([
    { key: 'live', mode: null, of_entry: null },
    { key: 'try', mode: 'test', of_entry: 'test' },
  ]);
  // A process of the version before names neither a series nor a kind.
  await add('receipts', { entry_id: await enter(other, 'refund', -20, 'refund:other', 5), ...kept });
  await sql`update accounts set balance_micros = balance_micros - 20 where organization_id = ${other}`.execute(db);
  const last = db.selectFrom('receipts').select(['number', 'kind', 'refers_to']).where('number', '=', 5);
  expect(await last.execute()).toEqual([{ number: 5, kind: 'credit_note', refers_to: entries[1] }]);
  await expect(sql`update receipts set number = 9`.execute(db)).rejects.toThrow('receipts are only added');
});

it('LED-08: what entries reverse is known also of those that an earlier version has made, or still makes', async () => {
  const told = db.selectFrom('ledger_entries').select(['cause', 'reversal', 'about']).orderBy('position');
  const known = told.where((eb) => eb.or([eb('reversal', 'is not', null), eb('about', 'is not', null)]));
  expect(await known.execute()).toEqual([
    { cause: 'refund-failed:live', reversal: 'refund_failed', about: 'refund:live' },
    { cause: 'dispute-fee-taken:live', reversal: null, about: 'dispute:live' },
    { cause: 'dispute-won:live', reversal: 'dispute_won', about: 'dispute:live' },
    { cause: 'dispute-fee-returned:live', reversal: null, about: 'dispute:live' },
  ]);
  const made = [
    { cause: 'dispute-won:dp:1', reversal: 'dispute_won', about: 'dispute:dp:1' },
    { cause: 'dispute-fee-taken:dp', reversal: null, about: 'dispute:dp' },
    { cause: 'dispute-fee-returned:dp', reversal: null, about: 'dispute:dp' },
    { cause: 'unpaid:p:ch', reversal: 'unpaid', about: null },
    { cause: 'paid-after-all:p:ch', reversal: 'paid_after_all', about: 'unpaid:p:ch' },
    { cause: 'test-payment:p:1', reversal: 'test_payment', about: null },
  ];
  const rollback = new Error('undone');
  const making = db.transaction().execute(async (trx) => {
    const entry = { organization_id: organization, kind: 'correction', amount_micros: 0, description: '' } as const;
    for (const { cause } of [...made, { cause: 'closed:unpaid:p:ch' }])
      await trx
        .insertInto('ledger_entries')
        .values({ ...entry, cause, balance_after_micros: 0, at: NOW })
        .execute();
    const rows = trx.executeQuery(told.where('amount_micros', '=', 0));
    expect((await rows).rows).toEqual([...made, { cause: 'closed:unpaid:p:ch', reversal: null, about: null }]);
    throw rollback;
  });
  await expect(making).rejects.toBe(rollback);
});

it('BIX-07: what had stopped autopay is told by its kind', async () => {
  expect((await migrator().migrateToLatest()).error).toBeUndefined();
  const rows = await db.selectFrom('accounts').select(['organization_id', 'error_why']).execute();
  const whys = new Map(rows.map(({ organization_id, error_why }) => [organization_id, error_why]));
  expect(STOPPED.map(({ id }) => whys.get(id))).toEqual(STOPPED.map(({ why }) => why));
});

it('PAY-02: what held autopay goes on holding it', async () => {
  const held = await db.selectFrom('account_holds').select(['organization_id', 'why', 'ended_at']).execute();
  const whys = ['refunded', 'disputed'];
  const stopped = STOPPED.filter(({ why }) => whys.includes(why ?? ''));
  expect(new Set(held)).toEqual(new Set(stopped.map(({ id, why }) => ({ organization_id: id, why, ended_at: null }))));
});

it('LED-05: the credit comes with the next start, and what ends late on a day that was settled is another part of it', async () => {
  expect(await proveLedger(db)).toEqual([]);
  await grantStartingCredits(db, CREDIT, NOW);
  expect(await availableMicros(db, organization)).toBe(CREDIT);
  expect(await useUp(db, { projectId: project }, 1, new Date('2026-05-01T12:00:00Z'))).toBe('2026-05-01');
  expect(await proveLedger(db)).toEqual([]);
});

import { mkdir, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import { LIMITS, LimitIncrease, OrganizationLimits, type Limit, type LimitName } from '#contract/limits.ts';
import { runCommand, type Answer } from '#server/app/admin/commands.ts';
import { askServer, openAdminSocket, PATH_MAX_BYTES, socketOf } from '#server/app/admin/socket.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { mayLackPayments } from '#server/money/payments/past.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { testFolder } from '../template.ts';
import { ended, writeUsage } from '../usage.ts';
import { auditOf, colleague } from '../people.ts';
import { useUp } from '../money/usage/usage.ts';

const UNKNOWN = '0b7e4c1a-91f3-4c5e-8f57-3d2c6f0a1b11';
let server: TestServer;
let owner: TestUser;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  owner = await server.createUser();
});

const run = (...args: string[]): Promise<Answer> =>
  runCommand({ ...server.services, limitDefaults: LIMIT_DEFAULTS }, args);
const path = (): string => `/api/v2/limits/organizations/${owner.organizationId}/`;
const read = async (): Promise<OrganizationLimits> =>
  v.parse(OrganizationLimits, await (await server.call(owner, 'GET', path())).json());
const limit = async (name: LimitName): Promise<Limit | undefined> =>
  (await read()).limits.find((one) => one.name === name);
const ask = async (value = 50, by = owner): Promise<LimitIncrease> => {
  const answer = await server.call(by, 'POST', `${path()}increase/`, {
    limit: 'concurrent_streams',
    value,
    reason: 'A conference\u001b[2J',
  });
  expect(answer.status).toBe(201);
  return v.parse(LimitIncrease, await answer.json());
};
const lastMail = () =>
  server.services.db
    .selectFrom('outbox')
    .select(['recipient', 'subject', 'body_text'])
    .orderBy('position', 'desc')
    .executeTakeFirst();

describe('LIM-11: limits', () => {
  it('are listed, and set for an organization: a value, none, or the default again', async () => {
    const { text, data } = await run('limits', 'set', owner.organizationId, 'concurrent_streams', '55');
    expect(text.split('\n')).toEqual([
      'Test organization',
      expect.stringMatching(/^limit +holds +set +most +used$/),
      ...LIMITS.map((name) => expect.stringMatching(new RegExp(`^${name} `))),
    ]);
    expect(text).toMatch(/^concurrent_streams +55 +– +55 +0$/m);
    expect(data).toMatchObject({ uuid: owner.organizationId, limits: (await read()).limits });
    expect(await limit('concurrent_streams')).toMatchObject({ value: 55, own: null, maximum: 55 });
    await run('limits', 'set', owner.organizationId, 'concurrent_streams', 'none');
    expect(await limit('concurrent_streams')).toMatchObject({ value: null, maximum: null });
    expect((await server.call(owner, 'PUT', path(), { limits: { concurrent_streams: 999 } })).status).toBe(200);
    await run('limits', 'set', owner.organizationId, 'concurrent_streams', 'default');
    expect(await limit('concurrent_streams')).toMatchObject({ value: 20, own: 999, maximum: 20 });
    await run('limits', 'set', owner.organizationId, 'concurrent_streams', 'default');
    const log = await auditOf(server, owner);
    expect(log.map(({ actor, detail }) => `${actor}: ${detail}`)).toEqual([
      'Operator: most concurrent streams: no limit → 20',
      `${owner.email}: concurrent streams: not set → 999`,
      'Operator: most concurrent streams: 55 → no limit',
      'Operator: most concurrent streams: 20 → 55',
    ]);
  });

  it('LIM-08 LIM-09: a wish is granted once: the maximum rises, whoever asked gets a mail, the audit log says so', async () => {
    const wish = await ask();
    const waiting = await run('increase', 'list');
    expect(waiting.text).toContain(wish.uuid);
    expect(waiting.text).toContain('A conference [2J');
    await run('limits', 'grant', wish.uuid, '--answer', 'Enjoy it.');
    expect(await limit('concurrent_streams')).toMatchObject({ value: 50, maximum: 50 });
    expect((await read()).increases).toEqual([
      expect.objectContaining({
        uuid: wish.uuid,
        state: 'granted',
        answer: 'Enjoy it.',
        decided_at: expect.any(String),
      }),
    ]);
    const mail = await lastMail();
    expect(mail).toMatchObject({ recipient: owner.email, subject: 'A higher limit was granted – Parlance' });
    expect(mail?.body_text).toContain(
      'Test organization may now have up to 50 concurrent streams. The answer: Enjoy it.',
    );
    expect((await auditOf(server, owner))[0]).toMatchObject({
      action: 'limit_increase.decided',
      actor: 'Operator',
      detail: 'concurrent streams: 20 → 50, granted',
    });
    await expect(run('limits', 'decline', wish.uuid)).rejects.toThrow('This was decided already.');
    expect((await run('increase', 'list')).text).not.toContain(wish.uuid);
    expect((await run('increase', 'list', '--all')).text).toContain(wish.uuid);
    // Another one may be asked for now.
    await ask(60);
  });

  it('LIM-08: one that is declined changes nothing; who has left gets no mail', async () => {
    const admin = await colleague(server, owner, 'admin');
    const wish = await ask(50, admin);
    await server.services.db.deleteFrom('memberships').where('user_id', '=', admin.userId).execute();
    const before = await lastMail();
    await run('limits', 'decline', wish.uuid, '--answer', 'Not now.');
    expect(await lastMail()).toEqual(before);
    expect(await limit('concurrent_streams')).toMatchObject({ value: 20, maximum: 20 });
    expect((await read()).increases[0]).toMatchObject({ state: 'declined', answer: 'Not now.' });
  });

  it('LIM-08: of two decisions at once one counts; a maximum that is higher by now is not lowered', async () => {
    const wish = await ask();
    await run('limits', 'set', owner.organizationId, 'concurrent_streams', '70');
    const outcomes = await Promise.allSettled([
      run('limits', 'grant', wish.uuid),
      run('limits', 'decline', wish.uuid),
      run('limits', 'grant', wish.uuid),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await limit('concurrent_streams')).toMatchObject({ maximum: 70 });
    const other = await ask(80);
    await run('limits', 'set', owner.organizationId, 'concurrent_streams', 'none');
    await run('limits', 'grant', other.uuid);
    expect(await limit('concurrent_streams')).toMatchObject({ value: null, maximum: null });
  });
});

describe('LIM-11: credits and corrections', () => {
  const entries = () =>
    server.services.db
      .selectFrom('ledger_entries')
      .select(['kind', 'amount_micros', 'description'])
      .where('organization_id', '=', owner.organizationId)
      .where('description', '<>', 'Starting credit')
      .orderBy('position')
      .execute();
  const audit = async () => (await auditOf(server, owner)).map(({ actor, detail }) => `${actor}: ${detail}`);

  it('LED-01: a credit is an entry of the ledger, once for its reference, and can be spent', async () => {
    const credit = (usd: string, reference = 'T-1') =>
      run('credit', owner.organizationId, usd, reference, ' For the\n trouble\u001b[2J');
    const all = await Promise.all([credit('2.50'), credit('2.5'), credit('2.50')]);
    const today = server.services.clock().toISOString().slice(0, 10);
    expect(all.map(({ text }) => text).toSorted()).toEqual([
      ...Array.from(
        { length: 2 },
        () => `"T-1" was entered before, on ${today}. Nothing was changed. The balance is 12.5 USD.`,
      ),
      'Given: 2.5 USD. The balance is 12.5 USD.',
    ]);
    expect(all.map(({ data }) => data)).toContainEqual({
      organization_uuid: owner.organizationId,
      kind: 'credit',
      reference: 'T-1',
      is_new: true,
      amount_micros: 2_500_000,
      balance_micros: 12_500_000,
    });
    await expect(credit('3')).rejects.toThrow(
      `"T-1" was entered before, on ${today}, with 2.5 USD. Nothing was changed. Give another reference.`,
    );
    await expect(credit('2')).rejects.toThrow('with 2.5 USD. Nothing was changed.');
    await credit('1', 'T-2');
    const description = 'For the trouble [2J';
    expect(await entries()).toEqual([
      { kind: 'credit', amount_micros: 2_500_000, description },
      { kind: 'credit', amount_micros: 1_000_000, description },
    ]);
    expect(await audit()).toEqual([
      'Operator: 1 USD, T-2: For the trouble [2J',
      'Operator: 2.5 USD, T-1: For the trouble [2J',
    ]);
    expect(await proveLedger(server.services.db)).toEqual([]);
  });

  it('LED-01: a correction takes or adds, once for its reference; the balance is what the console says', async () => {
    await useUp(server.services.db, owner, 500_000, server.services.clock());
    const correct = (usd: string) => run('correct', owner.organizationId, usd, 'T-1', 'Counted twice');
    expect((await correct('-12.25')).text).toBe('Entered: -12.25 USD. The balance is -2.75 USD.');
    expect((await correct('-12.25')).text).toContain('was entered before');
    await expect(correct('12.25')).rejects.toThrow('with -12.25 USD');
    await run('correct', owner.organizationId, '3.000001', 'T-2', 'Refunded by hand');
    const other = await server.createUser();
    expect((await run('correct', other.organizationId, '-12.25', 'T-1', 'Counted twice')).text).toContain('Entered: ');
    expect(await entries()).toEqual([
      { kind: 'correction', amount_micros: -12_250_000, description: 'Counted twice' },
      { kind: 'correction', amount_micros: 3_000_001, description: 'Refunded by hand' },
    ]);
    expect(await audit()).toEqual([
      'Operator: 3.000001 USD, T-2: Refunded by hand',
      'Operator: -12.25 USD, T-1: Counted twice',
    ]);
    expect(await proveLedger(server.services.db)).toEqual([]);
  });
});

describe('MET-10: the books', () => {
  it('are checked by organization and by month, and the rollups made anew', async () => {
    const { db } = server.services;
    await writeUsage(db, [
      ended({ project_id: owner.projectId, ended_at: new Date('2026-05-20T12:30:00Z'), cost_micros: 7 }),
    ]);
    const right = {
      text: 'The books are right, and the rollups match their rows.',
      data: {
        imbalances: [],
        rollups: [],
        refused_events: [],
        refused_charges: [],
        endless_payments: [],
        gone_customers: [],
        test_payments: [],
        test_payments_taken_back: [],
      },
      failed: false,
    };
    expect(await run('books', 'check')).toEqual(right);
    await db.updateTable('usage_daily').set({ cost_micros: 8 }).where('project_id', '=', owner.projectId).execute();
    const set = (micros: number) =>
      db
        .updateTable('accounts')
        .set((eb) => ({ balance_micros: eb('balance_micros', '+', micros) }))
        .where('organization_id', '=', owner.organizationId)
        .execute();
    await set(2_000_000);
    const wrong = await run('books', 'check');
    expect(wrong.text.split('\n')).toEqual([
      `${owner.organizationId} balance: 10 USD expected, 12 USD found`,
      '2026-05: sums that differ from their rows: 0 in usage_hourly, 1 in usage_daily, 0 in log_days',
      'To rebuild the sums from the rows: npm run admin -- rollups rebuild',
    ]);
    expect(wrong.failed).toBe(true);
    expect(wrong.data).toMatchObject({
      imbalances: [
        {
          cause: null,
          organization_uuid: owner.organizationId,
          what: 'balance',
          expected_micros: 10_000_000,
          found_micros: 12_000_000,
        },
      ],
      rollups: [{ month: '2026-05', usage_hourly: 0, usage_daily: 1, log_days: 0 }],
    });
    expect(await run('rollups', 'rebuild')).toEqual({ text: 'The rollups were rebuilt.', data: { rollups: [] } });
    await set(-2_000_000);
    expect(await run('books', 'check')).toEqual(right);
    await run('books', 'restored');
    expect(await mayLackPayments(db)).toBe(true);
    const series = await db.selectFrom('receipt_series').select('ended_at').execute();
    expect(new Set(series.map(({ ended_at }) => ended_at === null))).toEqual(new Set([false]));
    await expect(run('books', 'check', 'x')).rejects.toThrow('This command takes no more words.');
    await expect(run('rollups', 'rebuild', 'x')).rejects.toThrow('This command takes no more words.');
  });
});

it.each([
  [['limits', 'list', UNKNOWN], `There is no organization ${UNKNOWN}.`],
  [['limits', 'list', 'me'], '"me" is no id'],
  [['limits', 'list'], 'This command takes ORG.'],
  [['limits', 'set', UNKNOWN, 'streams', '1'], 'There is no limit "streams". There are: requests_per_minute,'],
  [['limits', 'set', UNKNOWN, 'waiting_jobs', '-1'], "Unknown option '-1'"],
  [['limits', 'set', UNKNOWN, 'waiting_jobs', '1.5'], 'VALUE must be a whole number, none or default, not "1.5".'],
  [['limits', 'set', UNKNOWN, 'waiting_jobs', '1'], `There is no organization ${UNKNOWN}.`],
  [['limits', 'grant', UNKNOWN], `There is no request ${UNKNOWN}.`],
  [['limits', 'grant', UNKNOWN, '--anser', 'x'], "Unknown option '--anser'"],
  [['increase', 'list', 'x'], 'This command takes no more words.'],
  [['credit', UNKNOWN, '0', 'T-1', 'x'], 'USD must be an amount such as 10 or 2.50, not "0".'],
  [
    ['credit', UNKNOWN, '-1', 'T-1', 'x'],
    'A credit must be above zero. To lower the balance: npm run admin -- correct',
  ],
  [['credit', UNKNOWN, '1', 'x'], 'This command takes ORG USD REFERENCE REASON.'],
  [['credit', UNKNOWN, '1', ' ', 'x'], 'REFERENCE must not be empty'],
  [['credit', UNKNOWN, '1', 'T-1', ' '], 'REASON must not be empty'],
  [['credit', UNKNOWN, '1', 'T-1', 'x'], `There is no organization ${UNKNOWN}.`],
  [['correct', UNKNOWN, '-0', 'T-1', 'x'], 'USD must be an amount such as 10, 2.50 or -2.50, not "-0".'],
  [['correct', UNKNOWN, '1.0000001', 'T-1', 'x'], 'USD must be an amount'],
  [['correct', UNKNOWN, '-1', 'T-1', 'x'], `There is no organization ${UNKNOWN}.`],
  [['limit'], 'There is no command "limit".'],
])('LIM-11: %j says what is wrong', async (args, message) => {
  await expect(run(...args)).rejects.toThrow(message);
});

/** All that a socket answers to a text, whatever its protocol. */
const rawAnswer = async (socketPath: string, text: string): Promise<string> => {
  const socket = createConnection(socketPath);
  socket.write(text);
  return (await socket.setEncoding('utf8').toArray()).join('');
};

describe('LIM-11: the socket of a server', () => {
  it('is its own user’s alone, takes the place of one that was left, answers like the command, and is gone with the server', async () => {
    const other = await startTestServer();
    const { dataDir } = other.services.config;
    await expect(askServer(dataDir, ['increase', 'list'])).rejects.toThrow('No server is running');
    // As a killed server leaves one: there, and nobody listens.
    await writeFile(socketOf(dataDir), '');
    await openAdminSocket(other.services, LIMIT_DEFAULTS);
    const { mode } = await stat(socketOf(dataDir));
    expect(mode & 0o777).toBe(0o600);
    const user = await other.createUser();
    expect(await askServer(dataDir, ['limits', 'list', user.organizationId])).toEqual(
      await runCommand({ ...other.services, limitDefaults: LIMIT_DEFAULTS }, ['limits', 'list', user.organizationId]),
    );
    expect(await askServer(dataDir, ['books', 'check'])).toMatchObject({ failed: false });
    await other.services.db.updateTable('accounts').set({ balance_micros: 1 }).execute();
    expect(await askServer(dataDir, ['books', 'check'])).toMatchObject({ failed: true });
    await expect(askServer(dataDir, ['limits', 'list', UNKNOWN])).rejects.toThrow(
      `There is no organization ${UNKNOWN}.`,
    );
    await expect(askServer(dataDir, ['x'.repeat(70_000)])).rejects.toThrow('The command is too long.');
    const said = (text: string) => rawAnswer(socketOf(dataDir), text);
    const bodies = ['', 'jobs list', '{"args":"jobs list"}', '{"args":[1]}', '["jobs","list"]', 'null'];
    const posted = bodies.map(
      (body) => `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const failed = vi.spyOn(other.services.log, 'error');
    for (const text of [...posted, 'jobs list\n', '{"args":["jobs","list"]}\n'])
      expect([text, await said(text)]).toEqual([
        text,
        expect.stringMatching(/"error":"The command is malformed: it must be JSON/),
      ]);
    expect(failed).not.toHaveBeenCalled();
    await expect(askServer(dataDir, ['jobs', 'lost'])).rejects.toThrow('There is no command "jobs lost".');
    await other.close();
    await expect(askServer(dataDir, ['increase', 'list'])).rejects.toThrow('No server is running');
  });

  it('has no path that is too long: the server says so in its log, the command in words, and nothing lies beside it', async () => {
    const parent = await mkdtemp(join(testFolder, 'long-'));
    const dataDir = join(parent, 'd'.repeat(PATH_MAX_BYTES - parent.length - '//admin.sock'.length + 1));
    await mkdir(dataDir);
    const { services } = server;
    const warn = vi.spyOn(services.log, 'warn');
    const add = vi.spyOn(services.closing, 'add');
    const open = (path: string) =>
      openAdminSocket({ ...services, config: { ...services.config, dataDir: path } }, LIMIT_DEFAULTS);
    await open(dataDir);
    expect(warn).toHaveBeenCalledWith(
      { err: expect.objectContaining({ message: expect.stringContaining('at most') }) },
      'npm run admin cannot reach this server: its socket could not be made',
    );
    expect(add).not.toHaveBeenCalled();
    expect([await readdir(dataDir), await readdir(parent)]).toEqual([[], [basename(dataDir)]]);
    await expect(askServer(dataDir, ['increase', 'list'])).rejects.toThrow('npm run admin needs a shorter DATA_DIR');
    // A byte less is good.
    const longest = join(parent, 'e'.repeat(basename(dataDir).length - 1));
    await mkdir(longest);
    await open(longest);
    expect((await askServer(longest, ['increase', 'list'])).data).toEqual(expect.any(Array));
    await add.mock.calls[0]?.[2](1000);
    warn.mockRestore();
    add.mockRestore();
  });
});

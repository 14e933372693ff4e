/**
 * What is begun keeps free what it will use, until it has ended: minutes, budget and balance are not passed by requests
 * that come together.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LimitName } from '#contract/limits.ts';
import { postEntry, lockAccount } from '#server/money/ledger/accounts.ts';
import { readMonth, type Amount, type Month } from '#server/money/limits/month.ts';
import type { ChargeRequest, ChargeResult } from '#server/money/payments/port.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import type { UsageEnd } from '#server/money/usage/rows.ts';
import type { TestUser } from '../harness.ts';
import { eventually } from '../eventually.ts';
import { addCharge } from '../money/books.ts';
import { useUp } from '../money/usage/usage.ts';
import { ended, writeUsage } from '../usage.ts';
import { addProject } from '../people.ts';
import { consoleClient } from './client.ts';
import { liveKey, setLimit, startSpeechServer, type LiveClient, type SpeechServer } from './harness.ts';
import { begin, failure, finish, heard } from './live/live-client.ts';
import { deferred } from './live/live-harness.ts';

const CREDIT = 10_000_000;
/** What a second of a recording costs, and a minute of a live session, micro-USD. */
const [SECOND, MINUTE] = [28, 2000];

/** Takes charges, and never tells what becomes of them. */
class WordlessDriver extends TestDriver {
  override charge({ paymentId }: ChargeRequest): Promise<ChargeResult> {
    return Promise.resolve({ outcome: 'sent', providerId: `test_${paymentId}` });
  }
}

let server: SpeechServer;
let user: TestUser;
let fileId: string;
/** Until it is resolved no recording is done. */
let blocked = deferred();
/** What recordings say that they last, seconds. */
let length: number | undefined;
beforeAll(async () => {
  server = await startSpeechServer({
    engine: {
      auto: true,
      transcribe: async () => {
        await blocked.promise;
        return [];
      },
    },
    length: () => length,
    server: {
      env: { SPEECH_PRICES: 'async=0.10,live=0.12' },
      payments: (services) => new WordlessDriver(services),
    },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  blocked = deferred();
  length = undefined;
  user = await server.createUser();
  fileId = (await console().stored()).id;
});
afterEach(() => blocked.resolve());

const console = () => consoleClient(() => ({ server, user }));
const limit = (of: 'organization' | 'project', name: LimitName, own: number): Promise<void> =>
  setLimit(server, user, of, name, own);
const use = (of: Partial<UsageEnd>): Promise<void> =>
  writeUsage(server.services.db, [ended({ project_id: user.projectId, ended_at: server.services.clock(), ...of })]);
/** One that nobody has looked at, as from a storage elsewhere. */
const unknownFile = async () => {
  const file = await console().stored();
  await server.services.db.updateTable('files').set({ length_ms: null }).where('id', '=', file.id).execute();
  return file;
};
const create = (): Promise<Response> => console().post({ file_id: fileId });
const month = (): Promise<Month> => readMonth(server.services.db, user, server.services.clock());
/** Of the organization. */
const taken = async (): Promise<{ used: Amount; reserved: Amount }> => {
  const { used, reserved } = await month();
  return { used: used.organization, reserved: reserved.organization };
};
/** How many of so many that come at once are let in. */
const together = async (count: number): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { status } of await Promise.all(Array.from({ length: count }, create)))
    counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const stream = async (): Promise<LiveClient> => heard(server, { api_key: await liveKey(server, user) });
const refusedStream = async () => failure(await begin(server, { api_key: await liveKey(server, user) }));

describe('LIM-06: transcriptions of unknown length that wait or run', () => {
  it.each(['organization', 'project'] as const)('keep a second each free of the budget of the %s', async (of) => {
    await limit(of, 'budget_micros', 5 * SECOND - 1);
    expect(await together(12)).toEqual({ 201: 4, 402: 8 });
    expect(await taken()).toEqual({ used: { ms: 0, micros: 0 }, reserved: { ms: 4000, micros: 4 * SECOND } });
    blocked.resolve();
    // Each has a second in it.
    await eventually(async () =>
      expect(await taken()).toEqual({ used: { ms: 4000, micros: 4 * SECOND }, reserved: { ms: 0, micros: 0 } }),
    );
    expect(await together(1)).toEqual({ 402: 1 });
  });

  it.each(['organization', 'project'] as const)(
    'keep it free of the minutes of the %s, of which parts count as well',
    async (of) => {
      await limit(of, 'audio_minutes', 1);
      await use({ audio_ms: 57_500 });
      expect(await together(6)).toEqual({ 201: 2, 429: 4 });
    },
  );

  it('LED-06: keep it free of the balance', async () => {
    await useUp(server.services.db, user, CREDIT - 4 * SECOND + 1, server.services.clock());
    expect(await together(6)).toEqual({ 201: 3, 402: 3 });
  });

  it('LED-06: also keep free what autopay charges next, if its method once brought as much and nothing is wrong with it', async () => {
    const { db, clock } = server.services;
    await useUp(db, user, CREDIT - SECOND, clock());
    const charged = (state: 'succeeded' | 'failed', micros: number, method_id = 'pm_1') =>
      addCharge(db, {
        ...{ organization_id: user.organizationId, at: clock() },
        state,
        amount_micros: micros,
        method_id,
      });
    const account = { method_id: 'pm_1', autopay_enabled: true, threshold_micros: 0, amount_micros: 2 * SECOND };
    const set = (values: object) =>
      db.updateTable('accounts').set(values).where('organization_id', '=', user.organizationId).execute();
    await set(account);
    expect(await together(2)).toEqual({ 201: 1, 402: 1 });
    // One that was declined later, of another method, or disputed, is no money; nor is more than was ever paid.
    await charged('succeeded', 3 * SECOND, 'pm_0');
    expect(await together(1)).toEqual({ 402: 1 });
    await charged('succeeded', SECOND);
    expect(await together(2)).toEqual({ 201: 1, 402: 1 });
    await charged('failed', 2 * SECOND);
    expect(await together(1)).toEqual({ 402: 1 });
    const last = await charged('succeeded', 3 * SECOND);
    const dispute = { organization_id: user.organizationId, cause: `dispute:${user.organizationId}`, since: clock() };
    await db
      .insertInto('account_holds')
      .values({ ...dispute, why: 'disputed', ended_at: clock(), ended_by: 'reset' })
      .execute();
    expect(await together(1)).toEqual({ 402: 1 });
    await db.updateTable('account_holds').set({ ended_by: 'provider' }).where('cause', '=', dispute.cause).execute();
    // The hold of a version that did not keep which dispute it was.
    const before = { ...dispute, cause: `before:${user.organizationId}`, why: 'disputed' } as const;
    await db
      .insertInto('account_holds')
      .values({ ...before, ended_at: clock(), ended_by: 'reset' })
      .execute();
    const back = (kind: 'refund' | 'correction', micros: number) =>
      db.transaction().execute(async (trx) => {
        const entry = { organizationId: user.organizationId, at: clock(), description: '' };
        await lockAccount(trx, user.organizationId);
        await postEntry(trx, { ...entry, kind, micros, cause: `${kind}:${last}`, paymentId: last });
        await postEntry(trx, { ...entry, kind: 'credit', micros: -micros, cause: `credit:${kind}:${last}` });
      });
    await back('refund', -2 * SECOND);
    expect(await together(1)).toEqual({ 402: 1 });
    await back('correction', 2 * SECOND);
    expect(await together(2)).toEqual({ 201: 1, 402: 1 });
    await set({ error_why: 'declined', error_message: 'No', error_at: clock() });
    expect(await together(1)).toEqual({ 402: 1 });
  });

  it('PAY-03: make autopay charge where the balance refuses them above its threshold, once', async () => {
    const { db, clock } = server.services;
    await useUp(db, user, CREDIT - SECOND / 2, clock());
    const charges = () =>
      db
        .selectFrom('payments')
        .select(['state', 'amount_micros'])
        .where('organization_id', '=', user.organizationId)
        .execute();
    expect(await together(2)).toEqual({ 402: 2 });
    expect(await charges()).toEqual([]);
    const card = { customer_id: `test_${user.organizationId}`, method_id: 'pm_1' };
    const account = { ...card, autopay_enabled: true, threshold_micros: 0, amount_micros: 10_000 };
    await db.updateTable('accounts').set(account).where('organization_id', '=', user.organizationId).execute();
    expect(await together(3)).toEqual({ 402: 3 });
    const once = [{ state: 'sent', amount_micros: 10_000 }];
    await eventually(async () => expect(await charges()).toEqual(once));
    expect(await together(3)).toEqual({ 402: 3 });
    expect(await charges()).toEqual(once);
  });

  it('keep it free for all projects of the organization together', async () => {
    await limit('organization', 'budget_micros', 3 * SECOND);
    expect(await together(2)).toEqual({ 201: 2 });
    const first = user;
    user = { ...user, projectId: await addProject(server, user, 'Other') };
    fileId = (await console().stored()).id;
    expect(await together(2)).toEqual({ 201: 1, 402: 1 });
    const { reserved } = await readMonth(server.services.db, first, server.services.clock());
    expect(reserved).toEqual({
      organization: { ms: 3000, micros: 3 * SECOND },
      project: { ms: 2000, micros: 2 * SECOND },
    });
  });

  it('give it back when they are cancelled or deleted', async () => {
    await limit('organization', 'budget_micros', 2 * SECOND);
    const [running, waiting] = [
      await console().create({ file_id: fileId }),
      await console().create({ file_id: fileId }),
    ];
    await console().reaches(running.id, 'processing');
    expect(await together(1)).toEqual({ 402: 1 });
    expect(await console().statusOf('DELETE', `/transcriptions/${waiting.id}`)).toBe(204);
    expect(await together(2)).toEqual({ 201: 1, 402: 1 });
    expect(await console().statusOf('POST', `/transcriptions/${running.id}/cancel`)).toBe(200);
    expect(await together(2)).toEqual({ 201: 1, 402: 1 });
  });
});

describe('LIM-15: transcriptions of recordings that say how long they are', () => {
  const HOUR = 3_600_000;

  it('keep as much free from the beginning', async () => {
    length = 3600;
    fileId = (await console().stored()).id;
    await limit('project', 'budget_micros', 300_000);
    expect(await together(6)).toEqual({ 201: 3, 402: 3 });
    expect(await taken()).toMatchObject({ reserved: { ms: 3 * HOUR, micros: 300_000 } });
  });

  it('count as no more than what is ever transcribed', async () => {
    length = 1e9;
    fileId = (await console().stored()).id;
    expect(await together(1)).toEqual({ 201: 1 });
    await eventually(async () => expect((await taken()).used.ms).toBe(0));
  });

  it('are corrected when work begins, if unknown before; what does not fit fails like a refused one, and costs nothing', async () => {
    await limit('organization', 'budget_micros', 150_000);
    const other = await console().stored();
    length = 3600;
    const first = await console().create({ file_id: fileId });
    const second = await console().create({ file_id: other.id });
    await eventually(async () =>
      expect((await taken()).reserved).toEqual({ ms: HOUR + 1000, micros: 100_000 + SECOND }),
    );
    blocked.resolve();
    await console().reaches(first.id, 'completed');
    // It had an hour less than it said; now there is room for one, but not for two.
    await console().reaches(second.id, 'completed');
    expect((await taken()).reserved).toEqual({ ms: 0, micros: 0 });
    length = 7200;
    const third = await console().create({ file_id: (await unknownFile()).id });
    expect(await console().reaches(third.id, 'error')).toMatchObject({
      error_type: 'organization_monthly_budget_exhausted',
      error_message: 'Organization monthly budget exhausted. Please increase it.',
      cost_usd: '0',
    });
    expect(await taken()).toEqual({ used: { ms: 2000, micros: 2 * SECOND }, reserved: { ms: 0, micros: 0 } });
  });

  it.each([
    [
      'audio_minutes',
      'limit_exceeded',
      "This needs more than is left of this month's audio minutes (2) of this project.",
    ],
    [
      'balance',
      'organization_balance_exhausted',
      'Organization balance exhausted. Please either add funds manually or enable autopay.',
    ],
  ] as const)('fail for %s like what is refused', async (name, error_type, error_message) => {
    if (name === 'balance') await useUp(server.services.db, user, CREDIT - 1000, server.services.clock());
    else await limit('project', name, 2);
    length = 121;
    const { id } = await console().create({ file_id: (await unknownFile()).id });
    expect(await console().reaches(id, 'error')).toMatchObject({ error_type, error_message });
  });
});

describe.each(['organization', 'project'] as const)('what the budget of the %s refuses', (of) => {
  const alerts = () => {
    const { db } = server.services;
    return of === 'organization'
      ? db.selectFrom('budget_alerts').select('percent').where('organization_id', '=', user.organizationId).execute()
      : db.selectFrom('project_budget_alerts').select('percent').where('project_id', '=', user.projectId).execute();
  };
  const grown = async (): Promise<void> => {
    length = 60;
    const { id } = await console().create({ file_id: (await unknownFile()).id });
    await console().reaches(id, 'error');
  };

  it.each([
    ['a transcription that does not begin', SECOND - 1, () => together(2)],
    ['a live session that does not begin', SECOND - 1, refusedStream],
    ['a transcription that does not go on', 2 * SECOND, grown],
  ])('LIM-10 LIM-13: is told by mail: %s', async (_what, budget, refused) => {
    await limit(of, 'budget_micros', budget);
    await refused();
    expect(await alerts()).toEqual([{ percent: 100 }]);
  });
});

describe('LIM-06: a live session', () => {
  it('keeps a minute free, or what there is, and gives it back when it ends', async () => {
    await limit('organization', 'budget_micros', 1.5 * MINUTE);
    const [first, second] = [await stream(), await stream()];
    expect((await taken()).reserved).toEqual({ ms: 90_000, micros: 1.5 * MINUTE });
    expect(await refusedStream()).toMatchObject({
      error_code: 402,
      error_type: 'organization_monthly_budget_exhausted',
    });
    expect(await together(1)).toEqual({ 402: 1 });
    await finish(first);
    expect(await together(1)).toEqual({ 201: 1 });
    await finish(second);
    await eventually(async () =>
      expect(await taken()).toEqual({ used: { ms: 20, micros: 0 }, reserved: { ms: 1000, micros: SECOND } }),
    );
  });

  it('LIM-16: goes on by the minute; without room it ends with its last words and the refusal, and is counted in full', async () => {
    await limit('project', 'budget_micros', 2.5 * MINUTE);
    const [first, second] = [await stream(), await stream()];
    const speak = (client: LiveClient, seconds: number): void => {
      for (let n = 0; n < seconds; n += 1) client.socket.send(Buffer.alloc(32_000));
    };
    speak(first, 59);
    await eventually(async () => expect((await taken()).reserved.ms).toBe(150_000));
    speak(first, 59);
    speak(second, 59);
    expect(await failure(first)).toMatchObject({
      error_code: 402,
      error_type: 'project_monthly_budget_exhausted',
      limit: { name: 'budget_micros', of: 'project' },
    });
    expect(first.frames.at(-2)).toMatchObject({ tokens: [{ text: ' done.' }] });
    await finish(second);
    await eventually(async () =>
      expect(await taken()).toEqual({ used: { ms: 149_010, micros: 4967 }, reserved: { ms: 0, micros: 0 } }),
    );
  });

  it('LIM-16: that the database does not answer goes on, and counts what it heard when it does', async () => {
    await limit('project', 'budget_micros', 1.5 * MINUTE);
    const client = await stream();
    const failing = vi.spyOn(server.services.db, 'transaction').mockImplementation(() => {
      throw new Error('away');
    });
    for (let n = 0; n < 59; n += 1) client.socket.send(Buffer.alloc(32_000));
    await eventually(() => expect(failing).toHaveBeenCalled());
    failing.mockRestore();
    for (let n = 0; n < 65; n += 1) client.socket.send(Buffer.alloc(32_000));
    expect(await failure(client)).toMatchObject({ error_type: 'project_monthly_budget_exhausted' });
    await eventually(async () => expect((await taken()).used).toEqual({ ms: 120_000, micros: 4000 }));
  });
});

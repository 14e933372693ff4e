/** What an organization may start that has nothing left, over HTTP and over the socket. */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ProjectLimits } from '#contract/limits.ts';
import { availableMicros, enter } from '#server/money/ledger/accounts.ts';
import { PaymentUnavailable, type ChargeResult } from '#server/money/payments/port.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import { useUp } from '../money/usage/usage.ts';
import type { TestUser } from '../harness.ts';
import { eventually } from '../eventually.ts';
import { call, connectLive, liveKey, refusalOf, startSpeechServer, uploaded, type SpeechServer } from './harness.ts';
import { START } from './live/live-harness.ts';

const CREDIT = 10_000_000;
const EXHAUSTED = 'Organization balance exhausted. Please either add funds manually or enable autopay.';

/** Says nothing about charges for as long as it is silent. */
class SilentDriver extends TestDriver {
  silent = false;
  override charge(...asked: Parameters<TestDriver['charge']>): Promise<ChargeResult> {
    return this.silent ? Promise.reject(new PaymentUnavailable('silent')) : super.charge(...asked);
  }
}

let driver: SilentDriver;
let priced: SpeechServer;
let free: SpeechServer;
let ada: TestUser;
beforeAll(async () => {
  priced = await startSpeechServer({
    engine: { auto: true },
    server: {
      payments: (services) => {
        driver = new SilentDriver(services);
        return driver;
      },
    },
  });
  free = await startSpeechServer({
    engine: { auto: true },
    server: { env: { SPEECH_PRICES: 'none', STARTING_CREDIT: '0' } },
  });
});
afterAll(async () => {
  await priced.close();
  await free.close();
});
beforeEach(async () => {
  ada = await priced.createUser();
});
afterEach(() => {
  driver.silent = false;
});

const use = (micros: number): Promise<string> => useUp(priced.services.db, ada, micros, priced.services.clock());
const create = async (server: SpeechServer, user: TestUser): Promise<Response> => {
  const { id: file_id } = await uploaded(server, user);
  return call(server, user, 'POST', '/transcriptions', { model: 'parlance-async-1', file_id });
};
const begin = async (server: SpeechServer, user: TestUser) => {
  const api_key = await liveKey(server, user);
  const client = connectLive(server);
  await client.opened;
  client.socket.send(JSON.stringify({ ...START, api_key }));
  client.socket.send(Buffer.alloc(3200));
  return client;
};
/** A whole live session; its frames. */
const speak = async (server: SpeechServer, user: TestUser): Promise<unknown[]> => {
  const client = await begin(server, user);
  client.socket.send('');
  expect(await client.closed).toBe(1000);
  return client.frames;
};
const withAutopay = (): Promise<unknown> =>
  priced.services.db
    .updateTable('accounts')
    .set({
      method_id: 'test_4242424242424242',
      method_brand: 'Visa',
      method_last4: '4242',
      customer_id: `test_${ada.organizationId}`,
      autopay_enabled: true,
    })
    .where('organization_id', '=', ada.organizationId)
    .execute();
const BALANCE = { name: 'balance', of: 'organization' };
const refused = expect.objectContaining({
  error_code: 402,
  error_type: 'organization_balance_exhausted',
  error_message: EXHAUSTED,
  limit: BALANCE,
});

describe('an organization with nothing left', () => {
  it('LED-06: starts no transcription and no live session, and a temporary key changes nothing', async () => {
    await use(CREDIT - 1);
    expect((await create(priced, ada)).status).toBe(201);
    await use(1);
    const answer = await create(priced, ada);
    expect([answer.status, await refusalOf(answer)]).toEqual([
      402,
      expect.objectContaining({
        status_code: 402,
        error_type: 'organization_balance_exhausted',
        message: EXHAUSTED,
        limit: BALANCE,
      }),
    ]);
    expect(await speak(priced, ada)).toEqual([refused]);
    const rows = await priced.services.db
      .selectFrom('live_sessions')
      .select('id')
      .where('project_id', '=', ada.projectId)
      .execute();
    expect(rows).toEqual([]);
  });

  it('EST-06: whoever works in the project is told that nothing is left, before anything is tried, until money came', async () => {
    const told = async (server: SpeechServer, user: TestUser): Promise<boolean> => {
      const answer = await server.call(user, 'GET', `/api/v2/limits/projects/${user.projectId}/`);
      return v.parse(ProjectLimits, await answer.json()).is_balance_exhausted;
    };
    expect(await told(priced, ada)).toBe(false);
    await use(CREDIT);
    expect(await told(priced, ada)).toBe(true);
    await priced.services.db.transaction().execute((trx) =>
      enter(trx, {
        organizationId: ada.organizationId,
        kind: 'credit',
        micros: 1,
        cause: `gift:${ada.organizationId}`,
        description: 'Gift',
        at: priced.services.clock(),
      }),
    );
    expect(await told(priced, ada)).toBe(false);
    expect(await told(free, await free.createUser())).toBe(false);
  });

  it('LED-06: what runs goes on to its end, and is charged', async () => {
    const client = await begin(priced, ada);
    const { db } = priced.services;
    await eventually(async () =>
      expect(
        await db.selectFrom('live_sessions').select('id').where('project_id', '=', ada.projectId).execute(),
      ).toHaveLength(1),
    );
    await use(2 * CREDIT);
    client.socket.send(Buffer.alloc(3200));
    client.socket.send('');
    expect(await client.closed).toBe(1000);
    expect(client.frames.at(-1)).toMatchObject({ finished: true });
    await eventually(async () => expect(await availableMicros(db, ada.organizationId)).toBeLessThan(-CREDIT));
    expect(await speak(priced, ada)).toEqual([refused]);
  });

  it('LED-06: starts while a charge is on its way, and no longer once that has no answer', async () => {
    driver.silent = true;
    await withAutopay();
    await use(CREDIT + 1);
    expect((await create(priced, ada)).status).toBe(201);
    expect(await speak(priced, ada)).not.toContainEqual(refused);
    const error = () =>
      priced.services.db
        .selectFrom('accounts')
        .select('error_message')
        .where('organization_id', '=', ada.organizationId)
        .executeTakeFirstOrThrow();
    await eventually(async () => expect((await error()).error_message).not.toBe(null));
    expect((await create(priced, ada)).status).toBe(402);
    driver.silent = false;
    await eventually(async () =>
      expect(await availableMicros(priced.services.db, ada.organizationId)).toBeGreaterThan(0),
    );
    expect((await create(priced, ada)).status).toBe(201);
  });

  it('LED-06: starts nothing on a charge that does not lift it above zero', async () => {
    driver.silent = true;
    await withAutopay();
    // More than is charged at once.
    await use(10_100_000_000);
    expect((await create(priced, ada)).status).toBe(402);
  });

  it('LED-06: starts nothing on a charge that has failed, or that its owner has turned off', async () => {
    const { db } = priced.services;
    const key = `autopay:${ada.organizationId}:1:1`;
    const at = priced.services.clock();
    await db
      .insertInto('payments')
      .values({
        id: randomUUID(),
        organization_id: ada.organizationId,
        kind: 'autopay',
        state: 'sent',
        amount_micros: 20_000_000,
        key,
        run_at: at,
        created_at: at,
      })
      .execute();
    await withAutopay();
    await use(CREDIT);
    expect((await create(priced, ada)).status).toBe(201);
    const setEnabled = (autopay_enabled: boolean): Promise<unknown> =>
      db.updateTable('accounts').set({ autopay_enabled }).where('organization_id', '=', ada.organizationId).execute();
    await setEnabled(false);
    expect((await create(priced, ada)).status).toBe(402);
    await setEnabled(true);
    await db.updateTable('payments').set({ state: 'failed' }).where('key', '=', key).execute();
    expect((await create(priced, ada)).status).toBe(402);
  });

  it('LED-06: without prices nothing is refused', async () => {
    const ben = await free.createUser();
    expect(await availableMicros(free.services.db, ben.organizationId)).toBe(0);
    expect((await create(free, ben)).status).toBe(201);
    expect(await speak(free, ben)).not.toContainEqual(expect.objectContaining({ error_code: 402 }));
  });
});

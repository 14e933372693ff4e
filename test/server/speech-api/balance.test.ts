/** What an organization may start that has nothing left, over HTTP and over the socket. */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ProjectLimits } from '#contract/limits.ts';
import { availableMicros, postEntry } from '#server/money/ledger/accounts.ts';
import { PaymentUnavailable, type ChargeResult } from '#server/money/payments/port.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import { addCharge } from '../money/books.ts';
import { useUp } from '../money/usage/usage.ts';
import type { TestUser } from '../harness.ts';
import { eventually } from '../eventually.ts';
import { consoleClient } from './client.ts';
import { liveKey, refusalOf, startSpeechServer, type LiveClient, type SpeechServer } from './harness.ts';
import { begin as beginAt } from './live/live-client.ts';

const CREDIT = 10_000_000;
const HALF_HOUR_MS = 1_800_000;

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
const create = async (server: SpeechServer, user: TestUser): Promise<number> =>
  (await consoleClient(() => ({ server, user })).post()).status;
const begin = async (server: SpeechServer, user: TestUser): Promise<LiveClient> => {
  const client = await beginAt(server, { api_key: await liveKey(server, user) });
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
const setAccount = (set: { autopay_enabled: boolean; method_id?: string; customer_id?: string }): Promise<unknown> =>
  priced.services.db.updateTable('accounts').set(set).where('organization_id', '=', ada.organizationId).execute();
const withAutopay = (): Promise<unknown> =>
  setAccount({
    method_id: 'test_4242424242424242',
    customer_id: `test_${ada.organizationId}`,
    autopay_enabled: true,
  });
/** The payment method has brought as much as autopay charges. */
const hasPaid = (): Promise<string> =>
  addCharge(priced.services.db, {
    organization_id: ada.organizationId,
    ...{ method_id: 'test_4242424242424242', state: 'succeeded', amount_micros: 20_000_000 },
    at: priced.services.clock(),
  });
const EXHAUSTED = 'Organization balance exhausted. Please either add funds manually or enable autopay.';
const exhausted = { error_type: 'organization_balance_exhausted', limit: { name: 'balance', of: 'organization' } };
const refused = expect.objectContaining({ ...exhausted, error_code: 402, error_message: EXHAUSTED });
const sessions = () =>
  priced.services.db.selectFrom('live_sessions').select('id').where('project_id', '=', ada.projectId).execute();

describe('an organization with nothing left', () => {
  it('LED-06: starts no transcription and no live session, and a temporary key changes nothing', async () => {
    await use(CREDIT - 40);
    expect(await create(priced, ada)).toBe(201);
    await use(1);
    const answer = await consoleClient(() => ({ server: priced, user: ada })).post();
    expect(answer.status).toBe(402);
    expect(await refusalOf(answer)).toMatchObject({ ...exhausted, status_code: 402, message: EXHAUSTED });
    expect(await speak(priced, ada)).toEqual([refused]);
    expect(await sessions()).toEqual([]);
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
      postEntry(trx, {
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
    await eventually(async () => expect(await sessions()).toHaveLength(1));
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
    await hasPaid();
    await withAutopay();
    await use(CREDIT + 1);
    expect(await create(priced, ada)).toBe(201);
    expect(await speak(priced, ada)).not.toContainEqual(refused);
    const account = priced.services.db.selectFrom('accounts').where('organization_id', '=', ada.organizationId);
    const error = account.select('error_message');
    // Half an hour later it is told to have none.
    priced.advance(HALF_HOUR_MS);
    await eventually(async () => expect((await error.executeTakeFirstOrThrow()).error_message).not.toBe(null));
    priced.advance(-HALF_HOUR_MS);
    expect(await create(priced, ada)).toBe(402);
    driver.silent = false;
    await eventually(async () =>
      expect(await availableMicros(priced.services.db, ada.organizationId)).toBeGreaterThan(0),
    );
    expect(await create(priced, ada)).toBe(201);
  });

  it('LED-06: starts nothing on a charge that does not lift it above zero', async () => {
    driver.silent = true;
    await withAutopay();
    // More than is charged at once.
    await use(10_100_000_000);
    expect(await create(priced, ada)).toBe(402);
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
    await hasPaid();
    await withAutopay();
    await use(CREDIT);
    expect(await create(priced, ada)).toBe(201);
    await setAccount({ autopay_enabled: false });
    expect(await create(priced, ada)).toBe(402);
    await setAccount({ autopay_enabled: true });
    await db.updateTable('payments').set({ state: 'failed' }).where('key', '=', key).execute();
    const stopped = { error_why: 'declined', error_message: 'The card was declined.', error_at: at } as const;
    await db.updateTable('accounts').set(stopped).where('organization_id', '=', ada.organizationId).execute();
    expect(await create(priced, ada)).toBe(402);
  });

  it('LED-06: without prices nothing is refused', async () => {
    const ben = await free.createUser();
    expect(await availableMicros(free.services.db, ben.organizationId)).toBe(0);
    expect(await create(free, ben)).toBe(201);
    expect(await speak(free, ben)).not.toContainEqual(expect.objectContaining({ error_code: 402 }));
  });
});

/** Processes that are held up while another takes their charge over, and clocks that are set back. */
import type { Transaction } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { ChargeRequest, ChargeResult } from '#server/money/payments/port.ts';
import type { Account } from '#server/money/ledger/accounts.ts';
import { storePrices } from '#server/money/usage/price-lists.ts';
import type { Services } from '#server/platform/context.ts';
import type { Schema } from '#server/platform/db/schema.ts';
import { createUser, type TestUser } from '../../harness.ts';
import { paymentsOf } from '../books.ts';
import { ModelProvider } from '../ledger/provider.ts';
import { work as workOn } from '../ledger/work.ts';
import { openServices } from '../services.ts';
import { useUp } from '../usage/usage.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A provider whose next answer about a charge is on its way for as long as the test likes. */
class SlowProvider extends ModelProvider {
  readonly calls: string[] = [];
  readonly lookedSince: Date[] = [];
  /** Takes what lets the next answer go. */
  #hold: ((letGo: () => void) => void) | undefined;

  override charge(...asked: Parameters<ModelProvider['charge']>): Promise<ChargeResult> {
    this.calls.push(asked[0].key);
    return super.charge(...asked);
  }

  override async look(request: ChargeRequest, since: Date): Promise<ChargeResult | undefined> {
    this.lookedSince.push(since);
    const answer = await super.look(request, since);
    const hold = this.#hold;
    this.#hold = undefined;
    if (hold !== undefined) await new Promise<void>(hold);
    return answer;
  }

  /** Holds the next answer back. @returns once it is given: what lets it go */
  holdNext(): Promise<() => void> {
    return new Promise((resolve) => {
      this.#hold = resolve;
    });
  }
}

let services: Services;
let close: () => Promise<void>;
let now = Date.now();
let provider: SlowProvider;
let ada: TestUser;
beforeAll(async () => {
  ({ services, close } = await openServices({ clock: () => new Date(now) }));
  await storePrices(services.db, new Map([['async', 1_000_000]]), services.clock);
});
afterAll(() => close());
beforeEach(async () => {
  provider = new SlowProvider(services.clock);
  await services.db.deleteFrom('jobs').execute();
  ada = await createUser(services);
  await changeAccount({ customer_id: ada.userId, method_id: 'pm_1', autopay_enabled: true });
  await useUp(services.db, ada, 6_000_000, services.clock());
});

const changeAccount = (changes: Partial<Account>) =>
  services.db.updateTable('accounts').set(changes).where('organization_id', '=', ada.organizationId).execute();

/** A process takes the job of the charge, whose lease of another may have run out. */
const work = () => workOn(services, provider);
const states = async (): Promise<string[]> =>
  (await paymentsOf(services.db, ada.organizationId)).map(({ state }) => state);
/** Before it is asked for the first time, the provider is asked whether it knows of it. */
const dueForLong = () =>
  services.db
    .updateTable('payments')
    .set({ created_at: new Date(now - 61 * MINUTE_MS) })
    .where('organization_id', '=', ada.organizationId)
    .execute();
/** A charge that nobody has an answer of, and a process that waits for one. */
async function heldUp(): Promise<{ held: Promise<string>; letGo: () => void }> {
  provider.behaviour = 'is not reached';
  expect(await work()).toBe('no answer');
  provider.behaviour = 'takes';
  now += 40 * MINUTE_MS;
  const answer = provider.holdNext();
  const held = work();
  return { held, letGo: await answer };
}

type Run = (trx: Transaction<Schema>) => Promise<unknown>;
/** A database whose transactions are executed so. Single queries are as ever. */
const transacting = (execute: (run: Run) => Promise<unknown>): Services['db'] =>
  new Proxy(services.db, {
    get(db, name) {
      if (name === 'transaction') return () => ({ execute });
      const value: unknown = Reflect.get(db, name, db);
      return typeof value === 'function' ? (value.bind(db) as unknown) : value;
    },
  });

it('PAY-05: a process that was held up does not ask again for a charge that another has called never made', async () => {
  const { held, letGo } = await heldUp();
  now += 61 * MINUTE_MS;
  expect(await work()).toBe('done');
  expect(await states()).toEqual(['canceled', 'due']);
  letGo();
  expect(await held).toBe('no answer');
  expect(provider.calls).toHaveLength(1);
  expect(await work()).toBe('done');
  expect(provider.intents).toHaveLength(1);
});

it('PAY-05: a charge is not called never made by what the provider said before another process asked for it again', async () => {
  const { held, letGo } = await heldUp();
  now += 61 * MINUTE_MS;
  const answer = provider.holdNext();
  const other = work();
  const letOtherGo = await answer;
  // The clock of the database is set back, and put right.
  now -= 61 * MINUTE_MS;
  letGo();
  expect(await held).toBe('lease lost');
  now += 61 * MINUTE_MS;
  expect(provider.intents).toHaveLength(1);
  letOtherGo();
  expect(await other).toBe('no answer');
  expect(await states()).toEqual(['sent']);
  now += 61 * MINUTE_MS;
  expect(await work()).toBe('done');
  expect(provider.intents).toHaveLength(1);
});

it('PAY-05: a process that was held up does not ask for a charge whose owner has turned autopay off meanwhile', async () => {
  const { held, letGo } = await heldUp();
  await changeAccount({ autopay_enabled: false });
  letGo();
  expect(await held).toBe('no answer');
  expect(provider.intents).toHaveLength(0);
});

it('PAY-05: a process that was held up does not ask for a charge that another was refused, and has made by a new key', async () => {
  await dueForLong();
  const answer = provider.holdNext();
  const held = work();
  const letGo = await answer;
  now += MINUTE_MS;
  provider.behaviour = 'takes no such charge';
  expect(await work()).toBe('done');
  provider.behaviour = 'takes';
  now += 61 * MINUTE_MS;
  expect(await work()).toBe('done');
  letGo();
  expect(await held).toBe('no answer');
  expect(provider.intents).toHaveLength(1);
});

it('PAY-05 PAY-17: a charge refused in another process waits, also for a process that was late to lock the account', async () => {
  await dueForLong();
  const answer = provider.holdNext();
  const first = work();
  const letGo = await answer;
  now += MINUTE_MS;
  let lock = (): void => {};
  const locks = new Promise<void>((resolve) => (lock = resolve));
  const late = transacting(async (run) => {
    await locks;
    return services.db.transaction().execute(run);
  });
  const second = workOn({ ...services, db: late }, provider);
  provider.behaviour = 'takes no such charge';
  letGo();
  expect(await first).toBe('lease lost');
  lock();
  expect([await second, await states(), provider.calls.length]).toEqual(['done', ['due'], 1]);
});

it('PAY-05: a charge ends at once whose owner turns autopay off just before it is asked for', async () => {
  await dueForLong();
  const answer = provider.holdNext();
  const held = work();
  const letGo = await answer;
  await changeAccount({ autopay_enabled: false });
  letGo();
  expect(await held).toBe('done');
  expect(await states()).toEqual(['canceled']);
  expect(provider.calls).toHaveLength(0);
});

it('PAY-05: a charge is not sent by a process that stood still for an hour since it looked whether it is wanted', async () => {
  let transactions = 0;
  const db = transacting(async (run) => {
    const result = await services.db.transaction().execute(run);
    transactions += 1;
    // The note that the charge is asked for now.
    if (transactions === 2) await standStill();
    return result;
  });
  const standStill = async (): Promise<void> => {
    now += 61 * MINUTE_MS;
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 61 * MINUTE_MS);
    await changeAccount({ autopay_enabled: false });
  };
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  expect(await workOn({ ...services, db }, provider)).toBe('no answer');
  vi.restoreAllMocks();
  expect([provider.calls.length, provider.intents.length]).toEqual([1, 0]);
  now += 2 * MINUTE_MS;
  expect([await work(), await states()]).toEqual(['done', ['canceled']]);
});

it('DAT-04 PAY-05: a charge that a fast clock dated into the future does not wait for that time', async () => {
  now -= 5 * DAY_MS;
  provider.behaviour = 'is not reached';
  expect(await work()).toBe('no answer');
  now -= 5 * DAY_MS;
  provider.behaviour = 'takes';
  expect(await work()).toBe('done');
  expect(provider.intents).toHaveLength(1);
  expect(provider.lookedSince.every((since) => since.getTime() <= now)).toBe(true);
});

it('DAT-04 PAY-17: a charge that a clock which was ahead wrote, and that is refused, waits before it is asked for again', async () => {
  now -= 5 * DAY_MS;
  provider.behaviour = 'takes no such charge';
  expect(await work()).toBe('done');
  expect(await work()).toBe('done');
  expect(provider.calls).toHaveLength(1);
});

it('PAY-03: no charge is due while the customer is not known, as after a restore', async () => {
  await changeAccount({ customer_id: null });
  expect(await work()).toBe('done');
  expect([await states(), await work()]).toEqual([['canceled'], 'no job']);
  // As the next payment by hand does.
  await changeAccount({ customer_id: ada.userId });
  await useUp(services.db, ada, 1, services.clock());
  expect(await work()).toBe('done');
  expect([await states(), provider.intents.length]).toEqual([['canceled', 'sent'], 1]);
});

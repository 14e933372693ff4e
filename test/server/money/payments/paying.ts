/** An organization that pays by the test's driver: what the tests of payments have in common. */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, vi } from 'vitest';
import type { PaymentAttempt } from '#contract/billing.ts';
import type { ChargeRequest, ChargeResult, MoneyEvent } from '#server/money/payments/port.ts';
import { applyPaymentEvent } from '#server/money/payments/apply-event.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import { Served, soon } from '../served.ts';

/** Its charges are taken; are taken and fail later; wait for a confirmation by the card's owner; are taken and told of late. */
export const [CARD, FAILS_LATER, CONFIRM, LATE] = [
  '4242424242424242',
  '4000000000000341',
  '4000002500003155',
  '4000000000000077',
];
export const HOUR_MS = 3_600_000;

/** An event, but for its id; without one, it is of the charge that its payment has. */
export type Told = MoneyEvent extends infer One
  ? One extends { providerId: string }
    ? Omit<One, 'id' | 'providerId'> & { providerId?: string }
    : Omit<One, 'id'>
  : never;

/** The test's driver, whose charges are watched, and can be made to fail. */
export class WatchedDriver extends TestDriver {
  readonly charges: ChargeRequest[] = [];
  fails = 0;
  /** By the keys of charges. */
  readonly looks: string[] = [];
  /** What it says to have of every charge. */
  known: ChargeResult | undefined;

  override look(request: ChargeRequest): Promise<ChargeResult | undefined> {
    this.looks.push(request.key);
    return this.known ? Promise.resolve(this.known) : super.look(request);
  }

  override async charge(request: ChargeRequest): Promise<ChargeResult> {
    this.charges.push(request);
    if (this.fails > 0) {
      this.fails -= 1;
      throw new Error('The connection was reset.');
    }
    return super.charge(request);
  }
}

export class Paying extends Served {
  driver!: WatchedDriver;

  constructor() {
    super({ pollMs: 40, payments: (services) => (this.driver = new WatchedDriver(services)) });
    afterEach(() => {
      // A charge that is asked for without end would be so for the tests that follow.
      this.driver.fails = 0;
    });
  }

  override async reset(): Promise<void> {
    this.driver.charges.length = 0;
    this.driver.known = undefined;
  }

  /** Until it was asked so often what became of this test's charges. */
  looked = (times: number): Promise<boolean> => {
    const looks = () => this.driver.looks.filter((key) => key.includes(this.ada.organizationId)).length;
    const before = looks();
    return vi.waitUntil(() => looks() >= before + times, soon);
  };
  /** Once it is asked what became of a charge instead, and asked again, nobody has asked for the charge once more. */
  chargesNoMore = async (): Promise<void> => {
    await this.looked(2);
    const { length } = this.charges();
    await this.looked(3);
    expect(this.charges()).toHaveLength(length);
  };

  /** What the provider tells. */
  tell = (event: Told, services = this.server.services): Promise<unknown> =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    applyPaymentEvent(services, { providerId: `test_${event.paymentId}`, ...event, id: randomUUID() } as MoneyEvent);

  /** What somebody does on a hosted page. */
  submit = (url: string, form: Record<string, string>): Promise<Response> =>
    fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
  ended = async (attempt: string, state: PaymentAttempt['state']): Promise<void> => {
    await vi.waitUntil(async () => (await this.status(attempt)).attempt?.state === state, soon);
  };
  /** Five dollars that somebody has paid by hand. @returns the payment */
  pay = async (): Promise<string> => {
    const { attempt: paymentId } = await this.begin(5_000_000);
    await this.tell({ type: 'paid', paymentId, amountMicros: 5_000_000, providerId: `test_${paymentId}` });
    return paymentId;
  };
  setUp = async (card: string = CARD): Promise<void> => {
    const { url, attempt } = await this.begin(undefined);
    await this.submit(url, { action: 'confirm', card });
    await this.ended(attempt, 'succeeded');
  };
  /** Below the threshold of autopay, by a card. */
  cross = async (card: string = CARD, micros = 6_000_000): Promise<void> => {
    await this.setUp(card);
    await this.autopay(true);
    await this.use(micros);
  };
  /** A charge that was declined, and waits for the next try. */
  decline = async (micros?: number): Promise<void> => {
    await this.cross(CONFIRM, micros);
    await this.failed();
  };
  /** While time has passed for the server; the access token is not good then. */
  later = async <T>(milliseconds: number, then: () => Promise<T>): Promise<T> => {
    this.server.advance(milliseconds);
    try {
      return await then();
    } finally {
      this.server.advance(-milliseconds);
    }
  };

  /** Of this test's organization. */
  charges = (): ChargeRequest[] => this.driver.charges.filter(({ key }) => key.includes(this.ada.organizationId));
  keys = (): string[] => [...new Set(this.charges().map(({ key }) => key))];
  amounts = (): number[] => this.charges().map(({ amountMicros }) => amountMicros);
  states = async (): Promise<string[]> => (await this.tries()).map(({ state }) => state);
  charged = (balance: number): Promise<boolean> =>
    vi.waitUntil(async () => (await this.overview()).balance_micros === balance, soon);
  failed = (): Promise<boolean> => vi.waitUntil(async () => (await this.status()).error !== null, soon);
}

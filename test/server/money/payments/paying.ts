/** An organization that pays by the test's driver: what the tests of payments have in common. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import * as v from 'valibot';
import { BillingOverview, HostedPage, PaymentStatus, TransactionPage, type PaymentAttempt } from '#contract/billing.ts';
import type { ChargeRequest, ChargeResult } from '#server/money/payments/port.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import type { Db } from '#server/platform/db/database.ts';
import { startTestServer, type TestServer, type TestUser } from '../../harness.ts';
import { useUp } from '../usage/usage.ts';

/** What an organization begins with, micro-USD. */
export const CREDIT = 10_000_000;
export const CARD = '4242424242424242';
export const soon = { timeout: 30_000, interval: 20 };

/** The test's driver, whose charges are watched, and can be made to fail. */
export class WatchedDriver extends TestDriver {
  readonly charges: ChargeRequest[] = [];
  fails = 0;
  looks = 0;
  /** What it says to have of every charge. */
  known: ChargeResult | undefined;

  override look(request: ChargeRequest): Promise<ChargeResult | undefined> {
    this.looks += 1;
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

/** A server for the tests of a file, and an owner of an organization anew for each; what they do, and see of it. */
export class Paying {
  server!: TestServer;
  driver!: WatchedDriver;
  ada!: TestUser;

  constructor() {
    beforeAll(async () => {
      this.server = await startTestServer({ payments: (services) => (this.driver = new WatchedDriver(services)) });
    });
    afterAll(() => this.server.close());
    beforeEach(async () => {
      this.ada = await this.server.createUser();
      this.driver.charges.length = 0;
      this.driver.known = undefined;
    });
    afterEach(() => {
      // A charge that is asked for without end would be so for the tests that follow.
      this.driver.fails = 0;
    });
  }

  /** Once it is asked what became of a charge instead, and asked again, nobody has asked for the charge once more. */
  async chargesNoMore(): Promise<void> {
    const looked = (times: number): Promise<boolean> => {
      const before = this.driver.looks;
      return vi.waitUntil(() => this.driver.looks >= before + times, soon);
    };
    await looked(2);
    const asked = this.driver.charges.length;
    await looked(3);
    expect(this.driver.charges).toHaveLength(asked);
  }

  get db(): Db {
    return this.server.services.db;
  }

  own = (path: string): string => `/api/v2/organizations/${this.ada.organizationId}/${path}`;
  call = (method: string, path: string, body?: unknown): Promise<Response> =>
    this.server.call(this.ada, method, this.own(path), body);
  ask = async <const S extends v.GenericSchema>(
    schema: S,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<v.InferOutput<S>> => v.parse(schema, await (await this.call(method, path, body)).json());

  status = (attempt?: string): Promise<PaymentStatus> =>
    this.ask(PaymentStatus, 'GET', `payment/status/${attempt === undefined ? '' : `?attempt=${attempt}`}`);
  overview = (): Promise<BillingOverview> => this.ask(BillingOverview, 'GET', 'billing/overview/');
  transactions = async (): Promise<TransactionPage['transactions']> =>
    (await this.ask(TransactionPage, 'GET', 'billing/transactions/?return_total=true')).transactions;
  use = (micros: number): Promise<string> => useUp(this.db, this.ada, micros, this.server.services.clock());
  /** Subjects, in order. */
  mails = async (recipient = this.ada.email): Promise<string[]> => {
    const rows = await this.db
      .selectFrom('outbox')
      .select('subject')
      .where('recipient', '=', recipient)
      .orderBy('created_at')
      .execute();
    return rows.map(({ subject }) => subject);
  };

  /** What somebody does on a hosted page. */
  submit = (url: string, form: Record<string, string>): Promise<Response> =>
    fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
  begin = (amount_micros: number | undefined, attempt: string = randomUUID()): Promise<HostedPage> =>
    amount_micros === undefined
      ? this.ask(HostedPage, 'POST', 'payment/setup/', { attempt })
      : this.ask(HostedPage, 'POST', 'payment/', { attempt, amount_micros });
  ended = async (attempt: string, state: PaymentAttempt['state']): Promise<void> => {
    await vi.waitUntil(async () => (await this.status(attempt)).attempt?.state === state, soon);
  };
  setUp = async (card: string = CARD): Promise<void> => {
    const { url, attempt } = await this.begin(undefined);
    await this.submit(url, { action: 'confirm', card });
    await this.ended(attempt, 'succeeded');
  };
  autopay = (enabled: boolean, threshold_micros = 5_000_000, amount_micros = 20_000_000): Promise<Response> =>
    this.call('PUT', 'billing/', { autopay: { enabled, threshold_micros, amount_micros } });

  /** Of this test's organization. */
  charges = (): ChargeRequest[] => this.driver.charges.filter(({ key }) => key.includes(this.ada.organizationId));
  charged = (balance: number): Promise<boolean> =>
    vi.waitUntil(async () => (await this.overview()).balance_micros === balance, soon);
  failed = (): Promise<boolean> => vi.waitUntil(async () => (await this.status()).error !== null, soon);
}

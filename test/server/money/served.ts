/** A server for the tests of a file, and an owner of an organization anew for each; what they do, and see of it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Updateable } from 'kysely';
import * as v from 'valibot';
import { BillingOverview } from '#contract/billing.ts';
import { TransactionPage } from '#contract/transactions.ts';
import { PaymentStatus, HostedPage } from '#contract/paying.ts';
import { postEntry, lockAccount } from '#server/money/ledger/accounts.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { Schema } from '#server/platform/db/schema.ts';
import { startTestServer, type TestServer, type TestServerOptions, type TestUser } from '../harness.ts';
import { deletionOf, organizationOf } from '../people.ts';
import { entriesOf, paymentsOf } from './books.ts';
import { useUp } from './usage/usage.ts';

/** What an organization begins with, micro-USD. */
export const CREDIT = 10_000_000;
export const soon = { timeout: 30_000, interval: 20 };

export class Served {
  server!: TestServer;
  ada!: TestUser;
  readonly #options: TestServerOptions;

  /** @param reset what is done before each test, and before its owner is there */
  constructor(options: TestServerOptions = {}, reset?: (db: Db) => Promise<unknown>) {
    this.#options = options;
    beforeAll(async () => {
      this.server = await this.start();
    });
    afterAll(() => this.close());
    beforeEach(async () => {
      await reset?.(this.db);
      await this.reset();
      this.ada = await this.server.createUser();
    });
  }

  start(): Promise<TestServer> {
    return startTestServer(this.#options);
  }

  close(): Promise<void> {
    return this.server.close();
  }

  /** The same, of those that have more to forget than a database. */
  async reset(): Promise<void> {}

  get db(): Db {
    return this.server.services.db;
  }

  now = (): Date => this.server.services.clock();
  own = (path: string): string => organizationOf(this.ada) + path;
  call = (method: string, path: string, body?: unknown): Promise<Response> =>
    this.server.call(this.ada, method, this.own(path), body);
  ask = async <const S extends v.GenericSchema>(
    schema: S,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<v.InferOutput<S>> => v.parse(schema, await (await this.call(method, path, body)).json());
  /** Deletes it, with what is left of its balance. */
  remove = async (): Promise<Response> => this.server.call(this.ada, 'DELETE', await deletionOf(this.server, this.ada));
  overview = (query = ''): Promise<BillingOverview> => this.ask(BillingOverview, 'GET', `billing/overview/${query}`);
  transactions = async (): Promise<TransactionPage['transactions']> =>
    (await this.ask(TransactionPage, 'GET', 'billing/transactions/?limit=50')).transactions;
  /** Kind and amount of its transactions as the console has them, newest first. */
  listed = async () => (await this.transactions()).map(({ kind, amount_micros }) => [kind, amount_micros]);
  status = (attempt?: string): Promise<PaymentStatus> =>
    this.ask(PaymentStatus, 'GET', `payment/status/${attempt === undefined ? '' : `?attempt=${attempt}`}`);
  resetError = async (version?: string): Promise<PaymentStatus> => {
    const read = version ?? (await this.status()).error?.version ?? 'none';
    return this.ask(PaymentStatus, 'PUT', 'payment/reset-error/', { version: read });
  };
  /** The page of a payment, or of a setup. */
  begin = (amount_micros: number | undefined, attempt: string = randomUUID()): Promise<HostedPage> =>
    amount_micros === undefined
      ? this.ask(HostedPage, 'POST', 'payment/setup/', { attempt })
      : this.ask(HostedPage, 'POST', 'payment/', { attempt, amount_micros });
  autopay = (enabled: boolean, threshold_micros = 5_000_000, amount_micros = 20_000_000): Promise<Response> =>
    this.call('PUT', 'billing/', { autopay: { enabled, threshold_micros, amount_micros } });
  use = (micros: number, at = this.now()): Promise<string> => useUp(this.db, this.ada, micros, at);

  /** Kind and amount of what has changed the balance since it began, in order. */
  entries = async (): Promise<[string, number][]> => {
    const rows = await entriesOf(this.db, this.ada.organizationId);
    return rows.slice(1).map(({ kind, amount_micros }) => [kind, amount_micros]);
  };
  setAccount = (account: Updateable<Schema['accounts']>) =>
    this.db.updateTable('accounts').set(account).where('organization_id', '=', this.ada.organizationId).execute();
  /** A gift, once for each cause. @returns whether it was entered */
  give = (micros: number, cause: string = randomUUID()): Promise<boolean> =>
    this.db.transaction().execute(async (trx) => {
      const { organizationId } = this.ada;
      await lockAccount(trx, organizationId);
      const entry = { organizationId, kind: 'credit', micros, cause, description: 'Thanks', at: this.now() } as const;
      return postEntry(trx, entry);
    });
  /** Charges, whatever became of them, in order. */
  tries = async () => (await paymentsOf(this.db, this.ada.organizationId)).filter(({ kind }) => kind === 'autopay');
  /** What the audit log has of it, in order. */
  noted = async (action?: string) => {
    const rows = await this.db
      .selectFrom('audit_log')
      .select(['actor', 'action', 'subject', 'detail'])
      .where('organization_id', '=', this.ada.organizationId)
      .orderBy('position')
      .execute();
    return rows.filter((row) => action === undefined || row.action === action);
  };
  /** What was mailed to somebody, in order. */
  letters = (recipient = this.ada.email) =>
    this.db
      .selectFrom('outbox')
      .select(['subject', 'body_text'])
      .where('recipient', '=', recipient)
      .orderBy('position')
      .execute();
  /** The subjects of the same, but for confirmed payments. */
  mails = async (recipient?: string): Promise<string[]> =>
    (await this.letters(recipient))
      .map(({ subject }) => subject)
      .filter((subject) => !subject.startsWith('Payment of '));
}

import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { lockAccount } from '../ledger/accounts.ts';
import { PaymentUnavailable, type PaymentDriver, type Unended } from './port.ts';
import { settle } from './settle.ts';
import { tellUnknown } from './stop.ts';

/** How long a payment is left to its events before the provider is asked; then again, each time after twice as long. Milliseconds. */
const PATIENCE_MS = 600_000;
const LONGEST_MS = 6 * 3_600_000;
/** How long a charge has no answer before its owners are told, milliseconds. */
const TOLD_AFTER_MS = 1_800_000;
const LOOK_EVERY_MS = 60_000;
/** Payments that are asked about in one round. */
const AT_ONCE = 50;

type Parts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl' | 'closing'>;

interface Overdue extends Unended {
  organizationId: string;
  kind: 'payment' | 'autopay' | 'setup';
  /** How long it has been under way, milliseconds. */
  ageMs: number;
}

/**
 * Asks the provider about payments whose events have not come, and does what it answers as if an event had told it: the same causes, so
 * that an event that comes after all, before or at the same time, changes nothing twice. A charge that the provider has not
 * confirmed yet is left to its job, which asks by itself.
 */
export async function reconcile(services: Parts, driver: PaymentDriver): Promise<void> {
  for (const payment of await takeOverdue(services.db, await databaseNow(services.db, services.clock))) {
    if (services.closing.begun) return;
    try {
      const event = await driver.ask(payment);
      if (event !== undefined) await settle(services, event);
    } catch (error) {
      if (!(error instanceof PaymentUnavailable)) throw error;
      services.log.warn(
        { err: error, payment: payment.paymentId },
        'the payment provider did not say what became of it',
      );
      if (payment.kind === 'autopay' && payment.ageMs >= TOLD_AFTER_MS) await tell(services, payment);
    }
  }
}

/** Several processes take each of them once; what one does not come to is due again later. */
async function takeOverdue(db: Db, now: Date): Promise<Overdue[]> {
  const since = sql`coalesce(payments.sent_at, payments.created_at)`;
  const ageMs = sql<number>`(extract(epoch from ${now}::timestamptz - ${since}) * 1000)::float8`;
  const { rows } = await sql<Overdue>`
    update payments set check_at = ${now}::timestamptz
      + greatest(${PATIENCE_MS}::float8, least(${LONGEST_MS}::float8, ${ageMs})) * interval '1 millisecond'
    where id in (
      select id from payments where state in ('open', 'sent')
        and (page_id is not null or (kind = 'autopay' and state = 'sent' and provider_id is not null))
        and coalesce(check_at, ${since} + ${PATIENCE_MS}::float8 * interval '1 millisecond') <= ${now}
      order by created_at limit ${AT_ONCE} for update skip locked
    )
    returning id as "paymentId", organization_id as "organizationId", kind, page_id as "pageId",
      provider_id as "providerId", ${ageMs} as "ageMs"`.execute(db);
  return rows;
}

async function tell(services: Parts, { paymentId, organizationId }: Overdue): Promise<void> {
  await services.db.transaction().execute(async (trx) => {
    if (await lockAccount(trx, organizationId)) await tellUnknown(trx, services, paymentId, services.clock());
  });
}

/** Looks every minute, until the server closes. */
export function keepReconciling(services: Parts, driver: PaymentDriver): void {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= reconcile(services, driver)
      .catch((error: unknown) => services.log.error({ err: error }, 'asking about payments failed'))
      .finally(() => (running = undefined));
  }, LOOK_EVERY_MS);
  services.closing.add('jobs', 'asking about payments', async () => {
    clearInterval(timer);
    await running;
  });
}

import type { Services } from '../../platform/context.ts';
import { JobWorker, type WorkerOptions } from '../../platform/jobs/worker.ts';
import { BUDGET_ALERT, budgetAlertHandler } from '../limits/alerts.ts';
import { AUTOPAY } from '../ledger/arm.ts';
import { grantStartingCredits } from '../ledger/credits.ts';
import { keepPosting } from '../ledger/posting.ts';
import { autopayHandler, chargeBackoff } from './autopay.ts';
import type { PaymentDriver } from './port.ts';
import { keepReconciling } from './reconcile.ts';
import { TEST_EVENT, TestDriver, testEventHandler } from './test-driver.ts';

/** Charges, and words of the test, that are handled at the same time. */
const CHARGES = 4;
/** Kills of the process as it tells of a test payment, before that is suspected of causing them. */
const INTERRUPTIONS_MAX = 20;

/** The driver that the settings name. */
export async function createPayments(services: Services): Promise<PaymentDriver> {
  const { stripe } = services.config;
  if (stripe === undefined) return new TestDriver(services);
  const { StripeDriver } = await import('./stripe.ts');
  return new StripeDriver(stripe, services.clock);
}

/** Starts what billing does by itself: starting credits, the posting of days, charges of autopay, and questions about payments that nothing was heard of. */
export async function startBilling(
  services: Services,
  driver: PaymentDriver,
  jobs: Partial<Pick<WorkerOptions, 'leaseMs' | 'pollMs' | 'maxAttempts' | 'backoffMs'>> = {},
): Promise<void> {
  const { db, database, config, clock, log, closing } = services;
  await grantStartingCredits(db, config.startingCreditMicros, clock());
  await keepPosting(services);
  keepReconciling(services, driver);
  const kinds: Pick<WorkerOptions, 'handlers' | 'maxAttempts' | 'maxInterruptions' | 'backoffMs'>[] = [
    // No charge is given up: only its end makes way for another.
    { handlers: { [AUTOPAY]: autopayHandler(services, driver) }, maxAttempts: Infinity, backoffMs: chargeBackoff },
  ];
  kinds.push({ handlers: { [BUDGET_ALERT]: budgetAlertHandler(services) }, maxInterruptions: INTERRUPTIONS_MAX });
  if (driver instanceof TestDriver)
    kinds.push({ handlers: { [TEST_EVENT]: testEventHandler(services) }, maxInterruptions: INTERRUPTIONS_MAX });
  for (const kind of kinds) {
    const worker = new JobWorker({
      database,
      clock,
      log,
      concurrency: CHARGES,
      ...kind,
      ...jobs,
    });
    await worker.start();
    closing.add('jobs', `jobs: ${Object.keys(kind.handlers).join()}`, () => worker.stop());
  }
}

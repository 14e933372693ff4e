import type { Services } from '../../platform/context.ts';
import { timed } from '../../platform/telemetry/meters.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { startJobs, type JobTimes } from '../../platform/jobs/start.ts';
import { budgetAlertHandlers } from '../limits/alerts.ts';
import { AUTOPAY } from '../ledger/schedule.ts';
import { enterMode, isStale } from '../ledger/mode.ts';
import { keepPosting } from '../ledger/posting.ts';
import { autopayHandler, chargeBackoff } from './autopay.ts';
import { FORGET_METHOD, forgetMethodHandler } from './forget.ts';
import { CLOSE_CUSTOMER, closeCustomerHandler } from './leave.ts';
import { PaymentUnavailable, WEBHOOK, type PaymentDriver } from './port.ts';
import { noteRestored } from './past.ts';
import { keepReconciling } from './reconcile.ts';
import { keepTakingBack } from './take-back.ts';
import { TEST_EVENT, TestDriver, testEventHandler } from './test-driver.ts';

/** Charges, and words of the test, that are handled at the same time. */
const CHARGES = 4;
/** Kills of the process as it tells of a test payment, before that is suspected of causing them. */
const INTERRUPTIONS_MAX = 20;

/** The driver that the settings name. @throws StartError where payments are real in this database, and tests here */
export async function createPayments(services: Services): Promise<PaymentDriver> {
  await enterMode(services.db, services.config, services.clock());
  const { stripe } = services.config;
  if (stripe === undefined) return new TestDriver(services);
  const { StripeDriver } = await import('./stripe.ts');
  const driver = new StripeDriver(stripe, services.clock);
  if (!services.meters.isOn) return driver;
  return timed(driver, (call, _seconds, failure) => {
    if (failure?.error instanceof PaymentUnavailable)
      services.meters.count('parlance_payment_provider_failures_total', { call });
  });
}

/** How much later somebody else is to do it, milliseconds. */
const LATER_MS = 60_000;

/** Work that waits for a server whose payments are real, once those of this one are tests beside it. */
const unlessStale = ({ db, config, clock }: Services, handler: JobHandler): JobHandler => ({
  ...handler,
  async run(job) {
    await ((await isStale(db, config)) ? job.postpone(new Date(clock().getTime() + LATER_MS)) : handler.run(job));
  },
});

/** Says what the provider does not tell this server of, and what the key may not ask; nothing waits for it. */
async function sayMissing({ log, publicUrl }: Services, driver: PaymentDriver): Promise<void> {
  try {
    const endpoint = await driver.check(`${publicUrl()}${WEBHOOK}`);
    if (endpoint?.status === 'missing' || endpoint?.status === 'incomplete' || endpoint?.api_version)
      log.error({ endpoint }, 'the webhook endpoint at the payment provider is not as docs/billing.md says');
    if (endpoint !== null && endpoint.missing_rights.length > 0)
      log.error({ rights: endpoint.missing_rights }, 'the key of the payment provider may not read what it needs to');
  } catch (error) {
    log.warn({ err: error }, 'the payment provider does not answer');
  }
}

/**
 * Starts what billing does by itself: the end of what test payments have added once they are real, the posting of days, charges
 * of autopay, the closing of customers, the forgetting of methods, and questions about what nothing was heard of.
 */
export async function startBilling(services: Services, driver: PaymentDriver, times: JobTimes = {}): Promise<void> {
  await keepTakingBack(services);
  void sayMissing(services, driver);
  await keepPosting(services);
  // That database may have lost the last moments before a power cut, and with them charges that were made.
  if (services.config.stripe !== undefined && services.database.kind === 'embedded') await noteRestored(services.db);
  keepReconciling(services, driver);
  // No charge is given up: only its end makes way for another. Nor is a card of somebody who has left, or has removed it.
  const charges = {
    handlers: {
      [AUTOPAY]: unlessStale(services, autopayHandler(services, driver)),
      [CLOSE_CUSTOMER]: unlessStale(services, closeCustomerHandler(services, driver)),
      [FORGET_METHOD]: unlessStale(services, forgetMethodHandler(services, driver)),
    },
    concurrency: CHARGES,
    maxAttempts: Infinity,
    backoffMs: chargeBackoff,
  };
  await startJobs(services, charges, times);
  const told = { concurrency: CHARGES, maxInterruptions: INTERRUPTIONS_MAX };
  await startJobs(services, { ...told, handlers: budgetAlertHandlers(services) }, times);
  if (driver instanceof TestDriver)
    await startJobs(services, { ...told, handlers: { [TEST_EVENT]: testEventHandler(services) } }, times);
}

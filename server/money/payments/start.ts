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

/** Jobs of a kind that run at the same time. */
const CHARGES = 4;
/** A job is given up after its process has died this often. */
const INTERRUPTIONS_MAX = 20;

/** The driver of the settings. @throws StartError if the database has real payments and the settings test ones */
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

/** Delay of jobs that another server must run, milliseconds. */
const LATER_MS = 60_000;

/** Postpones jobs while this server has test payments and the database real ones, so that another server runs them. */
const unlessStale = ({ db, config, clock }: Services, handler: JobHandler): JobHandler => ({
  ...handler,
  async run(job) {
    await ((await isStale(db, config)) ? job.postpone(new Date(clock().getTime() + LATER_MS)) : handler.run(job));
  },
});

/** Logs missing events of the webhook endpoint and missing rights of the key. */
async function logMissing({ log, publicUrl }: Services, driver: PaymentDriver): Promise<void> {
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
 * Starts the recurring work and the jobs of billing: taking test payments back, posting days, reconciling payments,
 * charges of autopay, closing customers, removing methods, and budget alerts.
 */
export async function startBilling(services: Services, driver: PaymentDriver, times: JobTimes = {}): Promise<void> {
  await keepTakingBack(services);
  void logMissing(services, driver);
  await keepPosting(services);
  // The embedded database may have lost its last transactions in a power cut, and charges with them.
  if (services.config.stripe !== undefined && services.database.kind === 'embedded') await noteRestored(services.db);
  keepReconciling(services, driver);
  // These jobs are never given up: a charge must have an end before the next one, and removed cards must not stay
  // stored.
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
  const options = { concurrency: CHARGES, maxInterruptions: INTERRUPTIONS_MAX };
  await startJobs(services, { ...options, handlers: budgetAlertHandlers(services) }, times);
  if (driver instanceof TestDriver)
    await startJobs(services, { ...options, handlers: { [TEST_EVENT]: testEventHandler(services) } }, times);
}

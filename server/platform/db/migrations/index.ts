import type { Migration } from 'kysely';
import { core } from './0001-core.ts';
import { speech } from './0002-speech.ts';
import { speechService } from './0003-speech-service.ts';
import { people } from './0004-people.ts';
import { usageCost } from './0005-usage-cost.ts';
import { outliving } from './0007-outliving.ts';
import { jobTurns } from './0008-job-turns.ts';
import { makers } from './0009-makers.ts';
import { changeEvents } from './0010-change-events.ts';
import { installation } from './0011-installation.ts';
import { welcome } from './0012-welcome.ts';
import { transcriptionCost } from './0013-transcription-cost.ts';
import { keptSession } from './0014-kept-session.ts';
import { metering } from './0015-metering.ts';
import { ledger } from './0016-ledger.ts';
import { limits } from './0017-limits.ts';
import { billingEvents } from './0018-billing-events.ts';
import { prices } from './0019-prices.ts';
import { receipts } from './0020-receipts.ts';
import { limitEvents } from './0021-limit-events.ts';
import { rollups } from './0022-rollups.ts';
import { askedPayments } from './0023-asked-payments.ts';
import { requiredMigrations } from './0027-required-migrations.ts';
import { paymentEnds } from './0028-payment-ends.ts';
import { projectBudgetAlerts } from './0028-project-budget-alerts.ts';
import { storage } from './0029-storage.ts';
import { processes } from './0030-processes.ts';
import { jobOrigins } from './0031-job-origins.ts';
import { webhooks } from './0032-webhooks.ts';
import { accountDeletion } from './0035-account-deletion.ts';
import { retention } from './0036-retention.ts';
import { paymentCustomers } from './0037-payment-customers.ts';
import { receiptCodes } from './0038-receipt-codes.ts';
import { usedCredit } from './0039-used-credit.ts';
import { paymentLives } from './0040-payment-lives.ts';
import { creditGiven } from './0041-credit-given.ts';
import { reservations } from './0042-reservations.ts';
import { reportRuns } from './0043-report-runs.ts';
import { receiptLinks } from './0044-receipt-links.ts';
import { receiptSeries } from './0044-receipt-series.ts';
import { receiptTax } from './0044-receipt-tax.ts';
import { closedAccounts } from './0045-closed-accounts.ts';
import { paymentModes } from './0046-payment-modes.ts';
import { usageDays } from './0047-usage-days.ts';
import { charges } from './0048-charges.ts';
import { creditAddresses } from './0050-credit-addresses.ts';
import { restored } from './0051-restored.ts';
import { wantedFunds } from './0053-wanted-funds.ts';
import { endedSeries } from './0054-ended-series.ts';
import { silentCharges } from './0055-silent-charges.ts';
import { silentHolds } from './0056-silent-holds.ts';
import { promisedPrices } from './0057-promised-prices.ts';
import { storagePlace } from './0058-storage-place.ts';
import { audioNotes } from './0059-audio-notes.ts';
import { receiptSellers } from './0049-receipt-sellers.ts';

/** Every migration in order, by name. Listed by hand: the server is one bundled file, there is no folder to scan. Names never change once released. */
export const migrations: Record<string, Migration> = {
  '0001-core': core,
  '0002-speech': speech,
  '0003-speech-service': speechService,
  '0004-people': people,
  '0005-usage-cost': usageCost,
  '0007-outliving': outliving,
  '0008-job-turns': jobTurns,
  '0009-makers': makers,
  '0010-change-events': changeEvents,
  '0011-installation': installation,
  '0012-welcome': welcome,
  '0013-transcription-cost': transcriptionCost,
  '0014-kept-session': keptSession,
  '0015-metering': metering,
  '0016-ledger': ledger,
  '0017-limits': limits,
  '0018-billing-events': billingEvents,
  '0019-prices': prices,
  '0020-receipts': receipts,
  '0021-limit-events': limitEvents,
  '0022-rollups': rollups,
  '0023-asked-payments': askedPayments,
  '0027-required-migrations': requiredMigrations,
  '0028-payment-ends': paymentEnds,
  '0028-project-budget-alerts': projectBudgetAlerts,
  '0029-storage': storage,
  '0030-processes': processes,
  '0031-job-origins': jobOrigins,
  '0032-webhooks': webhooks,
  '0035-account-deletion': accountDeletion,
  '0036-retention': retention,
  '0037-payment-customers': paymentCustomers,
  '0038-receipt-codes': receiptCodes,
  '0039-used-credit': usedCredit,
  '0040-payment-lives': paymentLives,
  '0041-credit-given': creditGiven,
  '0042-reservations': reservations,
  '0043-report-runs': reportRuns,
  '0044-receipt-links': receiptLinks,
  '0044-receipt-series': receiptSeries,
  '0044-receipt-tax': receiptTax,
  '0045-closed-accounts': closedAccounts,
  '0046-payment-modes': paymentModes,
  '0047-usage-days': usageDays,
  '0048-charges': charges,
  '0049-receipt-sellers': receiptSellers,
  '0050-credit-addresses': creditAddresses,
  '0051-restored': restored,
  '0053-wanted-funds': wantedFunds,
  '0054-ended-series': endedSeries,
  '0055-silent-charges': silentCharges,
  '0056-silent-holds': silentHolds,
  '0057-promised-prices': promisedPrices,
  '0058-storage-place': storagePlace,
  '0059-audio-notes': audioNotes,
};

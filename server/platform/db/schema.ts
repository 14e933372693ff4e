import type { Migration } from 'kysely';
import type { CoreTables } from './core-tables.ts';
import type { LedgerTables } from './ledger-tables.ts';
import type { LimitTables } from './limit-tables.ts';
import type { PeopleTables } from './people-tables.ts';
import type { SpeechTables } from './speech-tables.ts';
import type { UsageTables } from './usage-tables.ts';
import type { WebhookTables } from './webhook-tables.ts';
import { core } from './migrations/0001-core.ts';
import { speech } from './migrations/0002-speech.ts';
import { speechService } from './migrations/0003-speech-service.ts';
import { people } from './migrations/0004-people.ts';
import { usageCost } from './migrations/0005-usage-cost.ts';
import { outliving } from './migrations/0007-outliving.ts';
import { jobTurns } from './migrations/0008-job-turns.ts';
import { makers } from './migrations/0009-makers.ts';
import { changeEvents } from './migrations/0010-change-events.ts';
import { installation } from './migrations/0011-installation.ts';
import { welcome } from './migrations/0012-welcome.ts';
import { transcriptionCost } from './migrations/0013-transcription-cost.ts';
import { keptSession } from './migrations/0014-kept-session.ts';
import { metering } from './migrations/0015-metering.ts';
import { ledger } from './migrations/0016-ledger.ts';
import { limits } from './migrations/0017-limits.ts';
import { billingEvents } from './migrations/0018-billing-events.ts';
import { prices } from './migrations/0019-prices.ts';
import { receipts } from './migrations/0020-receipts.ts';
import { limitEvents } from './migrations/0021-limit-events.ts';
import { rollups } from './migrations/0022-rollups.ts';
import { askedPayments } from './migrations/0023-asked-payments.ts';
import { requiredMigrations } from './migrations/0027-required-migrations.ts';
import { paymentEnds } from './migrations/0028-payment-ends.ts';
import { projectBudgetAlerts } from './migrations/0028-project-budget-alerts.ts';
import { storage } from './migrations/0029-storage.ts';
import { processes } from './migrations/0030-processes.ts';
import { jobOrigins } from './migrations/0031-job-origins.ts';
import { webhooks } from './migrations/0032-webhooks.ts';
import { accountDeletion } from './migrations/0035-account-deletion.ts';
import { retention } from './migrations/0036-retention.ts';
import { paymentCustomers } from './migrations/0037-payment-customers.ts';
import { receiptCodes } from './migrations/0038-receipt-codes.ts';
import { usedCredit } from './migrations/0039-used-credit.ts';
import { paymentLives } from './migrations/0040-payment-lives.ts';
import { creditGiven } from './migrations/0041-credit-given.ts';
import { reservations } from './migrations/0042-reservations.ts';
import { reportRuns } from './migrations/0043-report-runs.ts';
import { receiptLinks } from './migrations/0044-receipt-links.ts';
import { receiptSeries } from './migrations/0044-receipt-series.ts';
import { receiptTax } from './migrations/0044-receipt-tax.ts';
import { closedAccounts } from './migrations/0045-closed-accounts.ts';
import { paymentModes } from './migrations/0046-payment-modes.ts';
import { usageDays } from './migrations/0047-usage-days.ts';
import { charges } from './migrations/0048-charges.ts';
import { receiptSellers } from './migrations/0049-receipt-sellers.ts';
import { creditAddresses } from './migrations/0050-credit-addresses.ts';
import { restored } from './migrations/0051-restored.ts';
import { wantedFunds } from './migrations/0053-wanted-funds.ts';
import { endedSeries } from './migrations/0054-ended-series.ts';
import { silentCharges } from './migrations/0055-silent-charges.ts';
import { silentHolds } from './migrations/0056-silent-holds.ts';
import { promisedPrices } from './migrations/0057-promised-prices.ts';
import { storagePlace } from './migrations/0058-storage-place.ts';
import { audioNotes } from './migrations/0059-audio-notes.ts';
import { entryReversals } from './migrations/0060-entry-reversals.ts';
import { pagesOfChanges } from './migrations/0061-pages-of-changes.ts';
import { refusedRequests } from './migrations/0062-refused-requests.ts';
import { askedSettings } from './migrations/0063-asked-settings.ts';
import { paidWith } from './migrations/0064-paid-with.ts';
import { untoldCorrections } from './migrations/0065-untold-corrections.ts';
import { payers } from './migrations/0066-payers.ts';

/** Every table, by name. A migration that adds tables adds their types here (`CoreTables & …Tables`). */
export type Schema = CoreTables &
  SpeechTables &
  PeopleTables &
  UsageTables &
  LedgerTables &
  LimitTables &
  WebhookTables;

/**
 * Every migration in order, by name. Listed by hand: the server is one bundled file, there is no folder to scan. Names
 * never change once released.
 */
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
  '0060-entry-reversals': entryReversals,
  '0061-pages-of-changes': pagesOfChanges,
  '0062-refused-requests': refusedRequests,
  '0063-asked-settings': askedSettings,
  '0064-paid-with': paidWith,
  '0065-untold-corrections': untoldCorrections,
  '0066-payers': payers,
};

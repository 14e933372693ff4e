import type { BillingCostRequest, BillingReportRequest } from '#contract/billing.ts';
import type { LogFormat } from '#contract/logs.ts';
import type { TransactionKind } from '#contract/transactions.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';
import type { LogFilter } from '../logs/filter.ts';

/** A table or archive of a screen, to save as a file. */
export type TableToSave =
  | { of: 'report'; orgUuid: string; request: BillingReportRequest }
  | { of: 'cost'; orgUuid: string; request: BillingCostRequest }
  /** Of all kinds if `kind` is null. */
  | { of: 'transactions'; orgUuid: string; kind: TransactionKind | null }
  | { of: 'logs'; projectUuid: string; filter: LogFilter; format: LogFormat }
  | { of: 'account' };

export type TableFormat = 'xlsx' | 'zip' | LogFormat;

export const formatOf = (table: TableToSave): TableFormat => {
  switch (table.of) {
    case 'logs':
      return table.format;
    case 'transactions':
      return 'csv';
    case 'account':
      return 'zip';
    case 'report':
    case 'cost':
      return 'xlsx';
  }
};

/**
 * Saves POST …/billing/reports/xlsx/, POST …/billing/cost/xlsx/, GET …/billing/transactions/export/, GET …/logs/export/
 * or GET /user/export/ as a file.
 */
export const saveTable = promisePlaceholder<void, TableToSave>('saveTable');

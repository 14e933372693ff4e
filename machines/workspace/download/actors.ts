import type { BillingCostRequest, BillingReportRequest } from '#contract/billing.ts';
import type { LogFormat } from '#contract/logs.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';
import type { LogFilter } from '../logs/filter.ts';

/** A table or archive of a screen, to save as a file. */
export type TableToSave =
  | { of: 'report'; orgUuid: string; request: BillingReportRequest }
  | { of: 'cost'; orgUuid: string; request: BillingCostRequest }
  | { of: 'logs'; projectUuid: string; filter: LogFilter; format: LogFormat }
  | { of: 'account' };

export type TableFormat = 'xlsx' | 'zip' | LogFormat;

export const formatOf = (table: TableToSave): TableFormat => {
  if (table.of === 'logs') return table.format;
  return table.of === 'account' ? 'zip' : 'xlsx';
};

/** Saves POST …/billing/reports/xlsx/, POST …/billing/cost/xlsx/, GET …/logs/export/ or GET /user/export/ as a file. */
export const saveTable = promisePlaceholder<void, TableToSave>('saveTable');

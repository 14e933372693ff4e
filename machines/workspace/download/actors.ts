import type { BillingCostRequest, BillingReportRequest } from '#contract/billing.ts';
import type { LogFormat } from '#contract/logs.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';
import type { LogFilter } from '../logs/filter.ts';

/** What a screen shows as a table, to be saved as a file. */
export type TableToSave =
  | { of: 'report'; orgUuid: string; request: BillingReportRequest }
  | { of: 'cost'; orgUuid: string; request: BillingCostRequest }
  | { of: 'logs'; projectUuid: string; filter: LogFilter; format: LogFormat };

export type TableFormat = 'xlsx' | LogFormat;

export const formatOf = (table: TableToSave): TableFormat => (table.of === 'logs' ? table.format : 'xlsx');

/** POST …/billing/reports/xlsx/, POST …/billing/cost/xlsx/ or GET …/logs/export/, into a file of the person's. */
export const saveTable = promisePlaceholder<void, TableToSave>('saveTable');

/** What the screens that tell of billing call (spec §7). Every function rejects with a CallError, or with the reason of its signal. */
import * as v from 'valibot';
import {
  BillingCost,
  type BillingCostRequest,
  BillingReport,
  type BillingReportRequest,
  ReceiptUrl,
  TransactionPage,
} from '#contract/billing.ts';
import type { Caller, Downloader } from './caller.ts';

export type BillingApi = ReturnType<typeof createBillingApi>;

export function createBillingApi(call: Caller, download: Downloader) {
  type Signal = AbortSignal | undefined;
  return {
    report: (orgUuid: string, request: BillingReportRequest, signal?: Signal) =>
      call('post', `${billing(orgUuid)}reports/`, { json: request, schema: BillingReport, signal }),
    reportSheet: (orgUuid: string, request: BillingReportRequest, signal?: Signal) =>
      download(`${billing(orgUuid)}reports/xlsx/`, { json: request, signal }),
    cost: (orgUuid: string, request: BillingCostRequest, signal?: Signal) =>
      call('post', `${billing(orgUuid)}cost/`, { json: request, schema: BillingCost, signal }),
    costSheet: (orgUuid: string, request: BillingCostRequest, signal?: Signal) =>
      download(`${billing(orgUuid)}cost/xlsx/`, { json: request, signal }),
    transactions: (orgUuid: string, { offset, limit }: { offset: number; limit: number }, signal?: Signal) =>
      call('get', `${billing(orgUuid)}transactions/`, {
        query: { offset: String(offset), limit: String(limit), return_total: 'true' },
        schema: TransactionPage,
        signal,
      }),
    receiptUrl: (orgUuid: string, transaction: string, signal?: Signal) =>
      call('get', `${billing(orgUuid)}transaction/${segment(transaction)}/receipt-url/`, {
        schema: ReceiptUrl,
        signal,
      }),
    withdrawReceiptUrls: (orgUuid: string, transaction: string, signal?: Signal) =>
      call('delete', `${billing(orgUuid)}transaction/${segment(transaction)}/receipt-url/`, {
        schema: v.unknown(),
        signal,
      }),
  };
}

const segment = encodeURIComponent;
const billing = (orgUuid: string) => `organizations/${segment(orgUuid)}/billing/`;

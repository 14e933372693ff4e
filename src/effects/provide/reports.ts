/** Provides the charts of costs, reports and transactions with their effects. */
import { fromPromise } from 'xstate';
import {
  createReceiptUrl,
  listTransactions,
  readBillingCost,
  readBillingReport,
  withdrawReceiptUrls,
} from '#contract/api/billing.ts';
import type { BillingCost, BillingCostRequest, BillingReport, BillingReportRequest } from '#contract/billing.ts';
import type { TransactionPage } from '#contract/transactions.ts';
import { costsMachine } from '#machines/workspace/billing/costs/machine.ts';
import { reportsMachine } from '#machines/workspace/billing/reports/machine.ts';
import type { OpenedReceipt } from '#machines/workspace/billing/transactions/actors.ts';
import { transactionsMachine } from '#machines/workspace/billing/transactions/machine.ts';
import type { Paging } from '#machines/workspace/billing/transactions/paging.ts';
import { openTab } from '../browser/openTab.ts';
import type { Caller } from '../http/caller.ts';
import type { Download } from './download.ts';
import { readToday } from './usage.ts';

type OfOrganization = { orgUuid: string };

export function reportScreens(call: Caller, download: Download) {
  return {
    billingReports: reportsMachine.provide({
      actors: {
        readToday,
        download,
        loadReport: fromPromise<BillingReport, OfOrganization & { request: BillingReportRequest }>(
          ({ input: { orgUuid, request }, signal }) =>
            call(readBillingReport, { params: { organization: orgUuid }, json: request, signal }),
        ),
      },
    }),
    costTable: costsMachine.provide({
      actors: {
        readToday,
        download,
        loadCost: fromPromise<BillingCost, OfOrganization & { request: BillingCostRequest }>(
          ({ input: { orgUuid, request }, signal }) =>
            call(readBillingCost, { params: { organization: orgUuid }, json: request, signal }),
        ),
      },
    }),
    transactions: transactionsMachine.provide({
      actors: {
        download,
        loadTransactions: fromPromise<TransactionPage, OfOrganization & { paging: Paging }>(
          ({ input: { orgUuid, paging }, signal }) =>
            call(listTransactions, {
              params: { organization: orgUuid },
              query: {
                kind: paging.kind,
                offset: String(paging.offset),
                limit: String(paging.limit),
                return_total: 'true',
              },
              signal,
            }),
        ),
        withdrawLinks: fromPromise<unknown, OfOrganization & { transaction: string }>(
          ({ input: { orgUuid, transaction }, signal }) =>
            call(withdrawReceiptUrls, { params: { organization: orgUuid, transaction }, signal }),
        ),
        openReceipt: fromPromise<OpenedReceipt, OfOrganization & { transaction: string }>(
          async ({ input: { orgUuid, transaction }, signal }) => {
            const tab = openTab();
            try {
              const { url } = await call(createReceiptUrl, { params: { organization: orgUuid, transaction }, signal });
              return { url, isOpen: tab.show(url) };
            } catch (error) {
              tab.close();
              throw error;
            }
          },
        ),
      },
    }),
  };
}

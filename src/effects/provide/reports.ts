/** The charts of the screens that tell of billing, with what they call. */
import { fromPromise } from 'xstate';
import type {
  BillingCost,
  BillingCostRequest,
  BillingReport,
  BillingReportRequest,
  TransactionPage,
} from '#contract/billing.ts';
import { costsMachine } from '#machines/workspace/billing/costs/machine.ts';
import { reportsMachine } from '#machines/workspace/billing/reports/machine.ts';
import type { OpenedReceipt } from '#machines/workspace/billing/transactions/actors.ts';
import { transactionsMachine } from '#machines/workspace/billing/transactions/machine.ts';
import type { Paging } from '#machines/workspace/billing/transactions/paging.ts';
import { openTab } from '../browser/openTab.ts';
import type { BillingApi } from '../http/billingApi.ts';
import type { Download } from './download.ts';
import { readToday } from './usage.ts';

type OfOrganization = { orgUuid: string };

export function reportScreens(api: BillingApi, download: Download) {
  return {
    billingReports: reportsMachine.provide({
      actors: {
        readToday,
        download,
        loadReport: fromPromise<BillingReport, OfOrganization & { request: BillingReportRequest }>(
          ({ input: { orgUuid, request }, signal }) => api.report(orgUuid, request, signal),
        ),
      },
    }),
    costTable: costsMachine.provide({
      actors: {
        readToday,
        download,
        loadCost: fromPromise<BillingCost, OfOrganization & { request: BillingCostRequest }>(
          ({ input: { orgUuid, request }, signal }) => api.cost(orgUuid, request, signal),
        ),
      },
    }),
    transactions: transactionsMachine.provide({
      actors: {
        loadTransactions: fromPromise<TransactionPage, OfOrganization & { paging: Paging }>(
          ({ input: { orgUuid, paging }, signal }) => api.transactions(orgUuid, paging, signal),
        ),
        withdrawLinks: fromPromise<unknown, OfOrganization & { transaction: string }>(
          ({ input: { orgUuid, transaction }, signal }) => api.withdrawReceiptUrls(orgUuid, transaction, signal),
        ),
        openReceipt: fromPromise<OpenedReceipt, OfOrganization & { transaction: string }>(
          async ({ input: { orgUuid, transaction }, signal }) => {
            const tab = openTab();
            try {
              const { url } = await api.receiptUrl(orgUuid, transaction, signal);
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

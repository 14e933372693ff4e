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
import type { SheetToSave } from '#machines/workspace/billing/download/actors.ts';
import { sheetDownloadMachine } from '#machines/workspace/billing/download/machine.ts';
import { reportsMachine } from '#machines/workspace/billing/reports/machine.ts';
import type { OpenedReceipt } from '#machines/workspace/billing/transactions/actors.ts';
import { transactionsMachine } from '#machines/workspace/billing/transactions/machine.ts';
import type { Paging } from '#machines/workspace/billing/transactions/paging.ts';
import { openTab } from '../browser/openTab.ts';
import { saveFile } from '../browser/saveTextFile.ts';
import type { BillingApi } from '../http/billingApi.ts';
import { readToday } from './usage.ts';

type OfOrganization = { orgUuid: string };

export function reportScreens(api: BillingApi) {
  const download = sheetDownloadOf(api);
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

const NAMES: Readonly<Record<SheetToSave['of'], string>> = { report: 'billing-report', cost: 'cost-table' };

const sheetDownloadOf = (api: BillingApi) =>
  sheetDownloadMachine.provide({
    actors: {
      saveSheet: fromPromise<void, SheetToSave>(async ({ input, signal }) => {
        const file = await (input.of === 'report'
          ? api.reportSheet(input.orgUuid, input.request, signal)
          : api.costSheet(input.orgUuid, input.request, signal));
        const { start_date, end_date } = input.request;
        saveFile(`${NAMES[input.of]}-${start_date}-${end_date}.xlsx`, file);
      }),
    },
  });

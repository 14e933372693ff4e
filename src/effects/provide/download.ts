/** Saving what a screen shows as a table. */
import { fromPromise } from 'xstate';
import { downloadBillingCost, downloadBillingReport, exportTransactions } from '#contract/api/billing.ts';
import { exportLogs } from '#contract/api/projects.ts';
import { exportAccount } from '#contract/api/user.ts';
import { logFileName } from '#contract/logs.ts';
import { transactionsFileName } from '#contract/transactions.ts';
import type { TableToSave } from '#machines/workspace/download/actors.ts';
import { downloadMachine } from '#machines/workspace/download/machine.ts';
import { saveFile } from '../browser/saveTextFile.ts';
import type { Downloader } from '../http/caller.ts';

/** The chart of a download, for the screens that have one. */
export const downloadOf = (download: Downloader) =>
  downloadMachine.provide({
    actors: {
      saveTable: fromPromise<void, TableToSave>(async ({ input, signal }) => {
        switch (input.of) {
          case 'report':
            return saveFile(
              nameOf('billing-report', input.request),
              await download(downloadBillingReport, {
                params: { organization: input.orgUuid },
                json: input.request,
                signal,
              }),
            );
          case 'cost':
            return saveFile(
              nameOf('cost-table', input.request),
              await download(downloadBillingCost, {
                params: { organization: input.orgUuid },
                json: input.request,
                signal,
              }),
            );
          case 'transactions':
            return saveFile(
              transactionsFileName(input.kind ?? undefined, new Date()),
              await download(exportTransactions, {
                params: { organization: input.orgUuid },
                query: { kind: input.kind ?? undefined },
                signal,
              }),
            );
          case 'logs':
            return saveFile(
              logFileName(input.filter, input.format, new Date()),
              await download(exportLogs, {
                params: { project: input.projectUuid },
                query: { ...input.filter, format: input.format },
                signal,
              }),
            );
          case 'account':
            return saveFile(
              `my-data-${new Date().toISOString().slice(0, 10)}.zip`,
              await download(exportAccount, { signal }),
            );
        }
      }),
    },
  });

export type Download = ReturnType<typeof downloadOf>;

const nameOf = (what: string, { start_date, end_date }: { start_date: string; end_date: string }): string =>
  `${what}-${start_date}-${end_date}.xlsx`;

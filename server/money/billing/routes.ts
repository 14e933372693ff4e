import type { Context, Hono } from 'hono';
import type * as v from 'valibot';
import { BILLING_CALLS } from '#contract/api/billing.ts';
import { BillingCostRequest, BillingReportRequest, type BillingCost, type BillingReport } from '#contract/billing.ts';
import { TransactionExportQuery, transactionsFileName } from '#contract/transactions.ts';
import type { AppEnv } from '../../http/env.ts';
import type { OrganizationAccess } from '../../platform/callers.ts';
import { Refusal } from '../../platform/refusal.ts';
import { readBody, readJson, readQuery } from '../../http/validate.ts';
import type { Services } from '../../platform/context.ts';
import { memberCalls } from '../../tenancy/access/guard.ts';
import { actOf } from '../../tenancy/access/act.ts';
import type { LimitDefaults } from '../limits/defaults.ts';
import { WEBHOOK, type PaymentDriver } from '../payments/port.ts';
import { applyPaymentEvent } from '../payments/apply-event.ts';
import { paymentHealth } from './health.ts';
import { begin } from './begin.ts';
import { orUnavailable, readStatus, removeMethod, resetError } from './paying.ts';
import { readOverview } from './overview.ts';
import { receiptUrl, withdrawReceiptUrls } from './receipts.ts';
import { stepPages, readReport } from './report.ts';
import { costPages, readCostTable } from './cost-table.ts';
import { beginReport, callAtEnd } from './runs.ts';
import { readAccount, settingsOf, updateSettings } from './settings.ts';
import { costSheet, reportSheet } from './sheets.ts';
import { readTransactionPage, transactionPieces } from './transactions.ts';
import { transactionsCsv } from './transactions-csv.ts';
import { XLSX_TYPE, xlsxStream, type Sheet } from './xlsx.ts';

/** Transactions that are read, written and held at a time. */
const PIECE = 500;

/** Balance, payments, transactions and reports (BIL-*), and what the payment provider tells. */
export function billingRoutes(services: Services, driver: PaymentDriver, limitDefaults: LimitDefaults): Hono<AppEnv> {
  const {
    db,
    clock,
    log,
    database: { reports },
  } = services;
  const paymentServices = { services, driver };
  const health = paymentHealth(services, driver, () => `${services.publicUrl()}${WEBHOOK}`);
  /** Answers with a report, or streams it as a sheet. It counts as one of the user's reports until its last query. */
  const reportHandler =
    <Asked extends BillingCostRequest>(
      schema: v.GenericSchema<unknown, Asked>,
      produce: (organizationId: string, asked: Asked) => Promise<BillingReport | BillingCost | Sheet>,
    ) =>
    async ({ c, organization }: { c: Context<AppEnv>; organization: OrganizationAccess }): Promise<Response> => {
      const asked = await readJson(c, schema);
      const end = await beginReport(services, c.var.user.userId, c.req.raw.signal);
      try {
        const report = await produce(organization.organizationId, asked);
        if ('pages' in report) return sendSheet(c, report, asked, end);
        await end();
        return c.json(report);
      } catch (error) {
        await end();
        throw error;
      }
    };
  const sendSheet = (c: Context<AppEnv>, sheet: Sheet, asked: BillingCostRequest, end: () => Promise<void>) => {
    const name = [sheet.name.toLowerCase().replaceAll(' ', '-'), asked.start_date, asked.end_date].join('-');
    const pages = callAtEnd(sheet.pages, end, c.req.raw.signal);
    c.header('content-type', XLSX_TYPE);
    c.header('content-disposition', `attachment; filename="${name}.xlsx"`);
    return c.body(
      xlsxStream({ ...sheet, pages }, (err) => log.error({ err, request_id: c.var.requestId }, 'a sheet broke off')),
    );
  };
  return memberCalls(services)
    .answer(BILLING_CALLS.readBillingSettings, async ({ organization }) =>
      settingsOf(await readAccount(db, organization.organizationId)),
    )
    .answer(BILLING_CALLS.updateBillingSettings, ({ c, organization, body }) =>
      updateSettings(services, actOf(c, clock), organization.organizationId, body),
    )
    .answer(BILLING_CALLS.createPayment, ({ c, organization, body: { attempt, amount_micros: amountMicros } }) =>
      begin(paymentServices, actOf(c, clock), organization.organizationId, { attempt, amountMicros }),
    )
    .answer(BILLING_CALLS.readPaymentStatus, ({ organization, query }) =>
      readStatus(paymentServices, organization.organizationId, query.attempt),
    )
    .answer(BILLING_CALLS.setUpPaymentMethod, ({ c, organization, body: { attempt } }) =>
      begin(paymentServices, actOf(c, clock), organization.organizationId, { attempt, amountMicros: null }),
    )
    .answer(BILLING_CALLS.removePaymentMethod, ({ c, organization }) =>
      removeMethod(paymentServices, actOf(c, clock), organization.organizationId),
    )
    .answer(BILLING_CALLS.resetPaymentError, ({ c, organization, body }) =>
      resetError(paymentServices, actOf(c, clock), organization.organizationId, body.version),
    )
    .answer(BILLING_CALLS.readBillingOverview, ({ organization, query }) =>
      readOverview({ ...paymentServices, limitDefaults }, organization.organizationId, query),
    )
    .respond(
      BILLING_CALLS.readBillingReport,
      reportHandler(BillingReportRequest, (id, asked) => readReport(reports, id, asked)),
    )
    .respond(
      BILLING_CALLS.downloadBillingReport,
      reportHandler(BillingReportRequest, async (id, asked) =>
        reportSheet(await stepPages(reports, id, asked, clock())),
      ),
    )
    .respond(
      BILLING_CALLS.readBillingCost,
      reportHandler(BillingCostRequest, (id, asked) => readCostTable(reports, id, asked)),
    )
    .respond(
      BILLING_CALLS.downloadBillingCost,
      reportHandler(BillingCostRequest, async (id, asked) => costSheet(await costPages(reports, id, asked, clock()))),
    )
    .answer(BILLING_CALLS.listTransactions, ({ organization, query }) =>
      readTransactionPage(reports, organization.organizationId, query),
    )
    .respond(BILLING_CALLS.exportTransactions, ({ c, organization: { organizationId } }) => {
      const { kind } = readQuery(c, TransactionExportQuery);
      c.header('content-type', 'text/csv; charset=utf-8');
      c.header('content-disposition', `attachment; filename="${transactionsFileName(kind, clock())}"`);
      if (c.req.method === 'HEAD') return c.body(null);
      return c.body(
        transactionsCsv(transactionPieces(reports, organizationId, { kind }, PIECE), (err) =>
          log.error({ err, request_id: c.var.requestId }, 'an export of transactions broke off'),
        ),
      );
    })
    .answer(BILLING_CALLS.createReceiptUrl, ({ organization, param }) =>
      receiptUrl(services, organization.organizationId, param('transaction')),
    )
    .answer(BILLING_CALLS.withdrawReceiptUrls, ({ c, organization, param }) =>
      withdrawReceiptUrls(db, actOf(c, clock), organization.organizationId, param('transaction')),
    )
    .respond(BILLING_CALLS.receivePaymentEvent, async ({ c }) => {
      const [body, signature] = [await readBody(c), c.req.header('stripe-signature')];
      const events = await orUnavailable(() => driver.read(body, signature)).catch((error: unknown) => {
        if (error instanceof Refusal)
          services.meters.count('parlance_payment_webhooks_refused_total', { error: error.type });
        throw error;
      });
      for (const event of events) await applyPaymentEvent(services, event);
      return c.json({});
    })
    .answer(BILLING_CALLS.checkPaymentEvents, () => health());
}

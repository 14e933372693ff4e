import type { Context, Hono } from 'hono';
import type * as v from 'valibot';
import { BILLING_CALLS } from '#contract/api/billing.ts';
import { BillingCostRequest, BillingReportRequest, type BillingCost, type BillingReport } from '#contract/billing.ts';
import type { AppEnv, OrganizationAccess } from '../../http/env.ts';
import { ApiProblem } from '../../http/errors.ts';
import { readBody, readJson } from '../../http/validate.ts';
import type { Services } from '../../platform/context.ts';
import { memberCalls } from '../../tenancy/access/guard.ts';
import { actOf } from '../../tenancy/audit/log.ts';
import { WEBHOOK, type PaymentDriver } from '../payments/port.ts';
import { applyPaymentEvent } from '../payments/apply-event.ts';
import { paymentHealth } from './health.ts';
import { begin } from './begin.ts';
import { available, readStatus, removeMethod, resetError } from './paying.ts';
import { readOverview, readTransactionPage } from './overview.ts';
import { receiptUrl, withdrawReceiptUrls } from './receipts.ts';
import { openCosts, openSteps, readCostTable, readReport } from './report.ts';
import { beginReport, endingWith } from './runs.ts';
import { readAccount, settingsOf, updateSettings } from './settings.ts';
import { costSheet, reportSheet } from './sheets.ts';
import { XLSX_TYPE, xlsxStream, type Sheet } from './xlsx.ts';

/** Balance, payments, transactions and reports (BIL-*), and what the payment provider tells. */
export function billingRoutes(services: Services, driver: PaymentDriver): Hono<AppEnv> {
  const {
    db,
    clock,
    log,
    database: { reports },
  } = services;
  const paying = { services, driver };
  const health = paymentHealth(services, driver, () => `${services.publicUrl()}${WEBHOOK}`);
  /** Answers with a report, or streams it as a sheet; it has its place until nothing is read for it any more. */
  const making =
    <Asked extends BillingCostRequest>(
      schema: v.GenericSchema<unknown, Asked>,
      make: (organizationId: string, asked: Asked) => Promise<BillingReport | BillingCost | Sheet>,
    ) =>
    async ({ c, organization }: { c: Context<AppEnv>; organization: OrganizationAccess }): Promise<Response> => {
      const asked = await readJson(c, schema);
      const end = await beginReport(services, c.var.user.userId, c.req.raw.signal);
      try {
        const made = await make(organization.organizationId, asked);
        if ('pages' in made) return sendSheet(c, made, asked, end);
        await end();
        return c.json(made);
      } catch (error) {
        await end();
        throw error;
      }
    };
  const sendSheet = (c: Context<AppEnv>, sheet: Sheet, asked: BillingCostRequest, end: () => Promise<void>) => {
    const name = [sheet.name.toLowerCase().replaceAll(' ', '-'), asked.start_date, asked.end_date].join('-');
    const pages = endingWith(sheet.pages, end, c.req.raw.signal);
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
      begin(paying, actOf(c, clock), organization.organizationId, { attempt, amountMicros }),
    )
    .answer(BILLING_CALLS.readPaymentStatus, ({ organization, query }) =>
      readStatus(paying, organization.organizationId, query.attempt),
    )
    .answer(BILLING_CALLS.setUpPaymentMethod, ({ c, organization, body: { attempt } }) =>
      begin(paying, actOf(c, clock), organization.organizationId, { attempt, amountMicros: null }),
    )
    .answer(BILLING_CALLS.removePaymentMethod, ({ c, organization }) =>
      removeMethod(paying, actOf(c, clock), organization.organizationId),
    )
    .answer(BILLING_CALLS.resetPaymentError, ({ c, organization, body }) =>
      resetError(paying, actOf(c, clock), organization.organizationId, body.version),
    )
    .answer(BILLING_CALLS.readBillingOverview, ({ organization, query }) =>
      readOverview(paying, organization.organizationId, query),
    )
    .respond(
      BILLING_CALLS.readBillingReport,
      making(BillingReportRequest, (id, asked) => readReport(reports, id, asked)),
    )
    .respond(
      BILLING_CALLS.downloadBillingReport,
      making(BillingReportRequest, async (id, asked) => reportSheet(await openSteps(reports, id, asked, clock()))),
    )
    .respond(
      BILLING_CALLS.readBillingCost,
      making(BillingCostRequest, (id, asked) => readCostTable(reports, id, asked)),
    )
    .respond(
      BILLING_CALLS.downloadBillingCost,
      making(BillingCostRequest, async (id, asked) => costSheet(await openCosts(reports, id, asked, clock()))),
    )
    .answer(BILLING_CALLS.listTransactions, ({ organization, query }) =>
      readTransactionPage(reports, organization.organizationId, query),
    )
    .answer(BILLING_CALLS.createReceiptUrl, ({ organization, param }) =>
      receiptUrl(services, organization.organizationId, param('transaction')),
    )
    .answer(BILLING_CALLS.withdrawReceiptUrls, ({ c, organization, param }) =>
      withdrawReceiptUrls(db, actOf(c, clock), organization.organizationId, param('transaction')),
    )
    .respond(BILLING_CALLS.receivePaymentEvent, async ({ c }) => {
      const [body, signature] = [await readBody(c), c.req.header('stripe-signature')];
      const events = await available(() => driver.read(body, signature)).catch((error: unknown) => {
        if (error instanceof ApiProblem)
          services.meters.count('parlance_payment_webhooks_refused_total', { error: error.errorType });
        throw error;
      });
      for (const event of events) await applyPaymentEvent(services, event);
      return c.json({});
    })
    .answer(BILLING_CALLS.checkPaymentEvents, () => health());
}

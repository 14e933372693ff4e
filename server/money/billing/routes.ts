import { Hono, type Context } from 'hono';
import type * as v from 'valibot';
import {
  BillingCostRequest,
  BillingOverviewQuery,
  BillingReportRequest,
  BillingSettingsUpdate,
  type BillingCost,
  type BillingReport,
  PaymentErrorReset,
  PaymentRequest,
  PaymentSetupRequest,
  PaymentStatusQuery,
  TransactionsQuery,
} from '#contract/billing.ts';
import type { Action } from '#contract/roles.ts';
import type { AppEnv } from '../../http/env.ts';
import { ApiProblem, notFound } from '../../http/errors.ts';
import { readBody, readJson, readQuery, uuidParam } from '../../http/validate.ts';
import type { Services } from '../../platform/context.ts';
import { inOrganization, requireMember } from '../../tenancy/access/guard.ts';
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

const ORGANIZATION = '/api/v2/organizations/:organization';
const BILLING = `${ORGANIZATION}/billing`;
const PAYMENT = `${ORGANIZATION}/payment`;

/** Balance, payments, transactions and reports (BIL-*), and what the payment provider tells. */
export function billingRoutes(services: Services, driver: PaymentDriver): Hono<AppEnv> {
  const {
    db,
    clock,
    log,
    database: { reports },
  } = services;
  const signedIn = requireMember(services);
  const paying = { services, driver };
  const health = paymentHealth(services, driver, () => `${services.publicUrl()}${WEBHOOK}/`);
  const of = async (c: Context<AppEnv>, action: Action): Promise<string> => inOrganization(c, action).organizationId;
  /** Answers with a report, or streams it as a sheet; it has its place until nothing is read for it any more. */
  const making =
    <Asked extends BillingCostRequest>(
      schema: v.GenericSchema<unknown, Asked>,
      make: (organizationId: string, asked: Asked) => Promise<BillingReport | BillingCost | Sheet>,
    ) =>
    async (c: Context<AppEnv>): Promise<Response> => {
      const organizationId = await of(c, 'billing.read');
      const asked = await readJson(c, schema);
      const end = await beginReport(services, c.var.user.userId, c.req.raw.signal);
      try {
        const made = await make(organizationId, asked);
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
  return new Hono<AppEnv>()
    .get(BILLING, signedIn, async (c) => c.json(settingsOf(await readAccount(db, await of(c, 'billing.read')))))
    .put(BILLING, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.manage');
      return c.json(
        await updateSettings(services, actOf(c, clock), organizationId, await readJson(c, BillingSettingsUpdate)),
      );
    })
    .post(PAYMENT, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.manage');
      const { attempt, amount_micros: amountMicros } = await readJson(c, PaymentRequest);
      return c.json(await begin(paying, actOf(c, clock), organizationId, { attempt, amountMicros }));
    })
    .get(`${PAYMENT}/status`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.read');
      return c.json(await readStatus(paying, organizationId, readQuery(c, PaymentStatusQuery).attempt));
    })
    .post(`${PAYMENT}/setup`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.manage');
      const { attempt } = await readJson(c, PaymentSetupRequest);
      return c.json(await begin(paying, actOf(c, clock), organizationId, { attempt, amountMicros: null }));
    })
    .post(`${PAYMENT}/remove`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.manage');
      return c.json(await removeMethod(paying, actOf(c, clock), organizationId));
    })
    .put(`${PAYMENT}/reset-error`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.manage');
      const { version } = await readJson(c, PaymentErrorReset);
      return c.json(await resetError(paying, actOf(c, clock), organizationId, version));
    })
    .get(`${BILLING}/overview`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.read');
      return c.json(await readOverview(paying, organizationId, readQuery(c, BillingOverviewQuery)));
    })
    .post(
      `${BILLING}/reports`,
      signedIn,
      making(BillingReportRequest, (id, asked) => readReport(reports, id, asked)),
    )
    .post(
      `${BILLING}/reports/xlsx`,
      signedIn,
      making(BillingReportRequest, async (id, asked) => reportSheet(await openSteps(reports, id, asked, clock()))),
    )
    .post(
      `${BILLING}/cost`,
      signedIn,
      making(BillingCostRequest, (id, asked) => readCostTable(reports, id, asked)),
    )
    .post(
      `${BILLING}/cost/xlsx`,
      signedIn,
      making(BillingCostRequest, async (id, asked) => costSheet(await openCosts(reports, id, asked, clock()))),
    )
    .get(`${BILLING}/transactions`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.read');
      return c.json(await readTransactionPage(reports, organizationId, readQuery(c, TransactionsQuery)));
    })
    .get(`${BILLING}/transaction/:transaction/receipt-url`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.read');
      return c.json(await receiptUrl(services, organizationId, uuidParam(c, 'transaction', notFound())));
    })
    .delete(`${BILLING}/transaction/:transaction/receipt-url`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.manage');
      await withdrawReceiptUrls(db, actOf(c, clock), organizationId, uuidParam(c, 'transaction', notFound()));
      return c.body(null, 204);
    })
    .post(WEBHOOK, async (c) => {
      const [body, signature] = [await readBody(c), c.req.header('stripe-signature')];
      const events = await available(() => driver.read(body, signature)).catch((error: unknown) => {
        if (error instanceof ApiProblem)
          services.meters.count('parlance_payment_webhooks_refused_total', { error: error.errorType });
        throw error;
      });
      for (const event of events) await applyPaymentEvent(services, event);
      return c.json({});
    })
    .get(`${WEBHOOK}/health_check_service_result`, async (c) => c.json(await health()));
}

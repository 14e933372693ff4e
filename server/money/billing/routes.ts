import { Hono, type Context } from 'hono';
import {
  BillingCostRequest,
  BillingOverviewQuery,
  BillingReportRequest,
  BillingSettingsUpdate,
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
import { settle } from '../payments/settle.ts';
import { paymentHealth } from './health.ts';
import { available, begin, readStatus, removeMethod, resetError } from './paying.ts';
import { readOverview, readTransactionPage } from './overview.ts';
import { receiptUrl } from './receipts.ts';
import { readCostTable, readReport } from './report.ts';
import { readAccount, settingsOf, updateSettings } from './settings.ts';
import { costSheet, reportSheet } from './sheets.ts';
import { toXlsx, XLSX_TYPE, type Sheet } from './xlsx.ts';

const ORGANIZATION = '/api/v2/organizations/:organization';
const BILLING = `${ORGANIZATION}/billing`;
const PAYMENT = `${ORGANIZATION}/payment`;

/** Balance, payments, transactions and reports (BIL-*), and what the payment provider tells. */
export function billingRoutes(services: Services, driver: PaymentDriver): Hono<AppEnv> {
  const {
    db,
    clock,
    database: { reports },
  } = services;
  const signedIn = requireMember(services);
  const paying = { services, driver };
  const health = paymentHealth(services, driver, () => `${services.publicUrl()}${WEBHOOK}/`);
  const of = async (c: Context<AppEnv>, action: Action): Promise<string> => inOrganization(c, action).organizationId;
  return new Hono<AppEnv>()
    .get(BILLING, signedIn, async (c) => c.json(settingsOf(await readAccount(db, await of(c, 'billing.read')))))
    .put(BILLING, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.manage');
      return c.json(
        await updateSettings(db, actOf(c, clock), organizationId, await readJson(c, BillingSettingsUpdate)),
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
      return c.json(await resetError(paying, actOf(c, clock), organizationId));
    })
    .get(`${BILLING}/overview`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.read');
      return c.json(await readOverview(paying, organizationId, readQuery(c, BillingOverviewQuery)));
    })
    .post(`${BILLING}/reports`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.read');
      return c.json(await readReport(reports, organizationId, await readJson(c, BillingReportRequest)));
    })
    .post(`${BILLING}/reports/xlsx`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.read');
      const report = await readReport(reports, organizationId, await readJson(c, BillingReportRequest));
      return sendSheet(c, reportSheet(report), `billing-report-${report.start_date}-${report.end_date}`);
    })
    .post(`${BILLING}/cost`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.read');
      return c.json(await readCostTable(reports, organizationId, await readJson(c, BillingCostRequest)));
    })
    .post(`${BILLING}/cost/xlsx`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.read');
      const cost = await readCostTable(reports, organizationId, await readJson(c, BillingCostRequest));
      return sendSheet(c, costSheet(cost), `cost-table-${cost.start_date}-${cost.end_date}`);
    })
    .get(`${BILLING}/transactions`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.read');
      return c.json(await readTransactionPage(reports, organizationId, readQuery(c, TransactionsQuery)));
    })
    .get(`${BILLING}/transaction/:transaction/receipt-url`, signedIn, async (c) => {
      const organizationId = await of(c, 'billing.read');
      return c.json(await receiptUrl(services, organizationId, uuidParam(c, 'transaction', notFound())));
    })
    .post(WEBHOOK, async (c) => {
      const [body, signature] = [await readBody(c), c.req.header('stripe-signature')];
      const events = await available(() => driver.read(body, signature)).catch((error: unknown) => {
        if (error instanceof ApiProblem)
          services.meters.count('parlance_payment_webhooks_refused_total', { error: error.errorType });
        throw error;
      });
      for (const event of events) await settle(services, event);
      return c.json({});
    })
    .get(`${WEBHOOK}/health_check_service_result`, async (c) => c.json(await health()));
}

async function sendSheet(c: Context<AppEnv>, sheet: Sheet, name: string): Promise<Response> {
  c.header('content-type', XLSX_TYPE);
  c.header('content-disposition', `attachment; filename="${name}.xlsx"`);
  return c.body(new Uint8Array(await toXlsx(sheet)));
}

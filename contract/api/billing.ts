import {
  BillingCost,
  BillingCostRequest,
  BillingOverview,
  BillingOverviewQuery,
  BillingReport,
  BillingReportRequest,
  BillingSettings,
  BillingSettingsUpdate,
} from '../billing.ts';
import { ReceiptUrl, TransactionExportQuery, TransactionPage, TransactionsQuery } from '../transactions.ts';
import {
  PaymentErrorReset,
  PaymentStatus,
  PaymentStatusQuery,
  HostedPage,
  PaymentEvent,
  PaymentHealth,
  PaymentRequest,
  PaymentSetupRequest,
} from '../paying.ts';
import { Empty } from '../session.ts';
import type { Row } from './route.ts';
import { ORGANIZATION } from './shared.ts';

const BILLING = `${ORGANIZATION}billing/`;
const PAYMENT = `${ORGANIZATION}payment/`;
const WEBHOOK = '/api/v2/stripe/webhook/';

const tag = 'Billing';
const read = { tag, access: 'bearer', action: 'billing.read' } as const;
const manage = { tag, access: 'bearer', action: 'billing.manage' } as const;
const pay = {
  ...manage,
  errors: {
    409: ['payment_ended', 'nothing_charged'],
    429: ['limit_exceeded'],
    503: ['payment_unavailable'],
  },
} as const;

const report = {
  ...read,
  errors: { 400: ['report_too_large'], 429: ['too_many_reports'] },
} as const;

export const readBillingSettings = {
  ...read,
  method: 'get',
  path: BILLING,
  summary: 'Get autopay and the billing details for receipts',
  answers: { 200: BillingSettings },
} as const satisfies Row;

export const updateBillingSettings = {
  ...manage,
  method: 'put',
  path: BILLING,
  summary: 'Update autopay and the billing details for receipts',
  body: { json: BillingSettingsUpdate },
  answers: { 200: BillingSettings },
  errors: { 409: ['payment_method_missing'] },
} as const satisfies Row;

export const createPayment = {
  ...pay,
  method: 'post',
  path: PAYMENT,
  summary: 'Begin a payment into the balance',
  body: { json: PaymentRequest },
  answers: { 200: HostedPage },
} as const satisfies Row;

export const readPaymentStatus = {
  ...read,
  method: 'get',
  path: `${PAYMENT}status/`,
  summary: 'Get the payment method and the state of a payment',
  query: PaymentStatusQuery,
  answers: { 200: PaymentStatus },
} as const satisfies Row;

export const setUpPaymentMethod = {
  ...pay,
  method: 'post',
  path: `${PAYMENT}setup/`,
  summary: 'Begin the setup of a payment method',
  body: { json: PaymentSetupRequest },
  answers: { 200: HostedPage },
} as const satisfies Row;

export const removePaymentMethod = {
  ...manage,
  method: 'post',
  path: `${PAYMENT}remove/`,
  summary: 'Remove the payment method; autopay ends with it',
  answers: { 200: PaymentStatus },
} as const satisfies Row;

export const resetPaymentError = {
  ...manage,
  method: 'put',
  path: `${PAYMENT}reset-error/`,
  summary: 'Remove the payment error; autopay tries again',
  body: { json: PaymentErrorReset },
  answers: { 200: PaymentStatus },
  errors: { 409: ['payment_error_changed'] },
} as const satisfies Row;

export const readBillingOverview = {
  ...read,
  method: 'get',
  path: `${BILLING}overview/`,
  summary: 'Get the balance and the cost of a period',
  query: BillingOverviewQuery,
  answers: { 200: BillingOverview },
} as const satisfies Row;

export const readBillingReport = {
  ...report,
  method: 'post',
  path: `${BILLING}reports/`,
  summary: 'Get the cost of each project over a period, by step',
  body: { json: BillingReportRequest },
  answers: { 200: BillingReport },
} as const satisfies Row;

export const downloadBillingReport = {
  ...report,
  method: 'post',
  path: `${BILLING}reports/xlsx/`,
  summary: 'Download the cost of each project over a period, by step, as xlsx',
  description: 'Steps without requests of a project have no row.',
  body: { json: BillingReportRequest },
  answers: { 200: 'bytes' },
} as const satisfies Row;

export const readBillingCost = {
  ...report,
  method: 'post',
  path: `${BILLING}cost/`,
  summary: 'Get the cost of each project and model in a period',
  body: { json: BillingCostRequest },
  answers: { 200: BillingCost },
} as const satisfies Row;

export const downloadBillingCost = {
  ...report,
  method: 'post',
  path: `${BILLING}cost/xlsx/`,
  summary: 'Download the cost of each project and model in a period as xlsx',
  body: { json: BillingCostRequest },
  answers: { 200: 'bytes' },
} as const satisfies Row;

export const listTransactions = {
  ...read,
  method: 'get',
  path: `${BILLING}transactions/`,
  summary: 'List the transactions of the balance, newest first',
  query: TransactionsQuery,
  answers: { 200: TransactionPage },
} as const satisfies Row;

export const exportTransactions = {
  ...read,
  method: 'get',
  path: `${BILLING}transactions/export/`,
  summary: 'Download the transactions of the balance, newest first, as CSV',
  description: 'Usage that is not posted yet is not in it.',
  query: TransactionExportQuery,
  answers: { 200: 'bytes' },
} as const satisfies Row;

export const createReceiptUrl = {
  ...read,
  method: 'get',
  path: `${BILLING}transaction/{transaction}/receipt-url/`,
  summary: 'Create a temporary address of a receipt',
  answers: { 200: ReceiptUrl },
} as const satisfies Row;

export const withdrawReceiptUrls = {
  ...manage,
  method: 'delete',
  path: `${BILLING}transaction/{transaction}/receipt-url/`,
  summary: 'Withdraw all existing addresses of a receipt',
  answers: { 204: 'nothing' },
} as const satisfies Row;

const receivePaymentEvent = {
  method: 'post',
  path: WEBHOOK,
  tag: 'Payment provider',
  summary: 'Add an event of the payment provider',
  description: 'The payment provider signs it in the header Stripe-Signature. 404 if the server does not use Stripe.',
  access: 'none',
  body: { json: PaymentEvent },
  answers: { 200: Empty },
  errors: { 400: ['signature_invalid', 'livemode_mismatch'], 404: ['not_found'], 503: ['payment_unavailable'] },
} as const satisfies Row;

const checkPaymentEvents = {
  method: 'get',
  path: `${WEBHOOK}health_check_service_result/`,
  tag: 'Payment provider',
  summary: 'Check that the payment provider answers',
  description:
    'Also checks that it sends this server every event that the server needs. The server asks the provider every half minute at most.',
  access: 'none',
  answers: { 200: PaymentHealth },
  errors: { 503: ['payment_unavailable'] },
} as const satisfies Row;

/** Balance, payments and reports of an organization, and the payment provider's calls. */
export const BILLING_CALLS = {
  readBillingSettings,
  updateBillingSettings,
  createPayment,
  readPaymentStatus,
  setUpPaymentMethod,
  removePaymentMethod,
  resetPaymentError,
  readBillingOverview,
  readBillingReport,
  downloadBillingReport,
  readBillingCost,
  downloadBillingCost,
  listTransactions,
  exportTransactions,
  createReceiptUrl,
  withdrawReceiptUrls,
  receivePaymentEvent,
  checkPaymentEvents,
};

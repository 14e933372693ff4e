import {
  BillingCost,
  BillingCostRequest,
  BillingOverview,
  BillingOverviewQuery,
  BillingReport,
  BillingReportRequest,
  BillingSettings,
  BillingSettingsUpdate,
  HostedPage,
  PaymentErrorReset,
  PaymentEvent,
  PaymentHealth,
  PaymentRequest,
  PaymentSetupRequest,
  PaymentStatus,
  PaymentStatusQuery,
  ReceiptUrl,
  TransactionPage,
  TransactionsQuery,
} from '../billing.ts';
import { Empty } from '../session.ts';
import type { ApiRoute } from './route.ts';
import { ORGANIZATION, managed } from './shared.ts';

const BILLING = `${ORGANIZATION}billing/`;
const PAYMENT = `${ORGANIZATION}payment/`;
const WEBHOOK = '/api/v2/stripe/webhook/';

const tag = 'Billing';
const read = { tag, access: 'bearer', action: 'billing.read', errors: managed } as const;
const manage = { tag, access: 'bearer', action: 'billing.manage', errors: managed } as const;
const pay = {
  ...manage,
  errors: {
    ...managed,
    409: ['payment_ended', 'nothing_charged'],
    429: ['limit_exceeded'],
    503: ['payment_unavailable'],
  },
} as const;

const report = {
  ...read,
  errors: { ...managed, 400: ['report_too_large'], 429: ['too_many_reports'] },
} as const;

/** Balance, payments and reports of an organization (spec §7), and the payment provider's calls. */
export const BILLING_ROUTES: readonly ApiRoute[] = [
  {
    ...read,
    method: 'get',
    path: BILLING,
    id: 'readBillingSettings',
    summary: 'Get autopay and whom receipts are made out to',
    answers: { 200: BillingSettings },
  },
  {
    ...manage,
    method: 'put',
    path: BILLING,
    id: 'updateBillingSettings',
    summary: 'Update autopay and whom receipts are made out to',
    body: { json: BillingSettingsUpdate },
    answers: { 200: BillingSettings },
    errors: { ...managed, 409: ['payment_method_missing'] },
  },
  {
    ...pay,
    method: 'post',
    path: PAYMENT,
    id: 'createPayment',
    summary: 'Begin a payment into the balance',
    body: { json: PaymentRequest },
    answers: { 200: HostedPage },
  },
  {
    ...read,
    method: 'get',
    path: `${PAYMENT}status/`,
    id: 'readPaymentStatus',
    summary: 'Get the payment method and what became of a payment',
    query: PaymentStatusQuery,
    answers: { 200: PaymentStatus },
  },
  {
    ...pay,
    method: 'post',
    path: `${PAYMENT}setup/`,
    id: 'setUpPaymentMethod',
    summary: 'Begin to set up a payment method',
    body: { json: PaymentSetupRequest },
    answers: { 200: HostedPage },
  },
  {
    ...manage,
    method: 'post',
    path: `${PAYMENT}remove/`,
    id: 'removePaymentMethod',
    summary: 'Remove the payment method; autopay ends with it',
    answers: { 200: PaymentStatus },
  },
  {
    ...manage,
    method: 'put',
    path: `${PAYMENT}reset-error/`,
    id: 'resetPaymentError',
    summary: 'Remove the payment error; autopay tries again',
    body: { json: PaymentErrorReset },
    answers: { 200: PaymentStatus },
    errors: { ...managed, 409: ['payment_error_changed'] },
  },
  {
    ...read,
    method: 'get',
    path: `${BILLING}overview/`,
    id: 'readBillingOverview',
    summary: 'Get the balance and what was used in a period',
    query: BillingOverviewQuery,
    answers: { 200: BillingOverview },
  },
  {
    ...report,
    method: 'post',
    path: `${BILLING}reports/`,
    id: 'readBillingReport',
    summary: 'Get what each project cost over a period, by step',
    body: { json: BillingReportRequest },
    answers: { 200: BillingReport },
  },
  {
    ...report,
    method: 'post',
    path: `${BILLING}reports/xlsx/`,
    id: 'downloadBillingReport',
    summary: 'Download what each project cost over a period, by step, as xlsx',
    description: 'A step in which a project had no requests has no row.',
    body: { json: BillingReportRequest },
    answers: { 200: 'bytes' },
  },
  {
    ...report,
    method: 'post',
    path: `${BILLING}cost/`,
    id: 'readBillingCost',
    summary: 'Get what each project and model cost in a period',
    body: { json: BillingCostRequest },
    answers: { 200: BillingCost },
  },
  {
    ...report,
    method: 'post',
    path: `${BILLING}cost/xlsx/`,
    id: 'downloadBillingCost',
    summary: 'Download what each project and model cost in a period as xlsx',
    body: { json: BillingCostRequest },
    answers: { 200: 'bytes' },
  },
  {
    ...read,
    method: 'get',
    path: `${BILLING}transactions/`,
    id: 'listTransactions',
    summary: 'List what has changed the balance, newest first',
    query: TransactionsQuery,
    answers: { 200: TransactionPage },
  },
  {
    ...read,
    method: 'get',
    path: `${BILLING}transaction/{transaction}/receipt-url/`,
    id: 'createReceiptUrl',
    summary: 'Create an address of a receipt',
    answers: { 200: ReceiptUrl },
  },
  {
    ...manage,
    method: 'delete',
    path: `${BILLING}transaction/{transaction}/receipt-url/`,
    id: 'withdrawReceiptUrls',
    summary: 'Withdraw all addresses of a receipt so far',
    answers: { 204: 'nothing' },
  },
  {
    method: 'post',
    path: WEBHOOK,
    id: 'receivePaymentEvent',
    tag: 'Payment provider',
    summary: 'Add an event of the payment provider',
    description: 'Signed by the payment provider in the header Stripe-Signature. Answers 404 unless it is Stripe.',
    access: 'none',
    body: { json: PaymentEvent },
    answers: { 200: Empty },
    errors: { 400: ['signature_invalid', 'livemode_mismatch'], 404: ['not_found'], 503: ['payment_unavailable'] },
  },
  {
    method: 'get',
    path: `${WEBHOOK}health_check_service_result/`,
    id: 'checkPaymentEvents',
    tag: 'Payment provider',
    summary: 'Check that the payment provider answers',
    description:
      'And whether it tells this server of every event that the server needs. The provider is asked every half minute at most.',
    access: 'none',
    answers: { 200: PaymentHealth },
    errors: { 503: ['payment_unavailable'] },
  },
];

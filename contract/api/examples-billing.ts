// Payments and billing reports.
import { BillingSettings, BillingSettingsUpdate, BillingCostRequest, BillingReportRequest } from '../billing.ts';
import { PaymentErrorReset, HostedPage, PaymentEvent, PaymentRequest, PaymentSetupRequest } from '../paying.ts';
import { example, TRANSCRIPTION } from './example.ts';

export const BILLING_EXAMPLES = [
  example(BillingSettings, {
    autopay: { enabled: true, threshold_micros: 5_000_000, amount_micros: 20_000_000 },
    details: { name: 'Ada Ltd', address: '1 Main Street\nLondon', tax_id: 'GB123456789' },
  }),
  example(BillingSettingsUpdate, {
    autopay: { enabled: true, threshold_micros: 5_000_000, amount_micros: 20_000_000 },
  }),
  example(PaymentRequest, { attempt: TRANSCRIPTION, amount_micros: 20_000_000 }),
  example(PaymentSetupRequest, { attempt: TRANSCRIPTION }),
  example(PaymentErrorReset, { version: 'Yk1mZ2hLc2Q0bFpQd2VyVA' }),
  example(BillingReportRequest, { start_date: '2026-05-01', end_date: '2026-05-31', period: 'daily' }),
  example(BillingCostRequest, { start_date: '2026-05-01', end_date: '2026-05-31' }),
  example(HostedPage, { attempt: TRANSCRIPTION, url: 'https://checkout.stripe.com/c/pay/cs_1' }),
  example(PaymentEvent, { id: 'evt_1', type: 'payment_intent.succeeded' }),
] as const;

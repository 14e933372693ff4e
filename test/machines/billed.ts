/** What billing may tell of an organization. */
import type { BillingOverview, PaymentAttempt } from '#contract/billing.ts';
import type { PaymentStatus } from '#contract/paying.ts';
import type { Paying } from '#machines/workspace/billing/setup/actors.ts';

export const overviewOf = (changed: Partial<BillingOverview> = {}): BillingOverview => ({
  currency: 'USD',
  mode: 'test',
  is_charging: true,
  balance_micros: 10_000_000,
  unposted_micros: 0,
  is_exhausted: false,
  is_budget_reached: false,
  period: { start_date: '2026-04-01', end_date: '2026-04-15' },
  cost_micros: 28,
  today_micros: 0,
  days_left: null,
  autopay: { enabled: false, threshold_micros: 5_000_000, amount_micros: 20_000_000 },
  method: null,
  error: null,
  pending: null,
  failed: null,
  payments: [],
  ...changed,
});

export const attemptOf = (changed: Partial<PaymentAttempt> = {}): PaymentAttempt => ({
  uuid: '3f1f4f0e-3f60-4d0c-9f4e-1d3b1c0a7a01',
  kind: 'payment',
  state: 'open',
  amount_micros: 20_000_000,
  error: null,
  created_at: '2026-04-15T10:00:00.000Z',
  ...changed,
});

/** How an organization pays, and what its forms begin with. */
export const payingOf = (changed: Partial<PaymentStatus> = {}): Paying => ({
  status: {
    ...({ mode: 'test', is_charging: true, method: null, attempt: null, error: null } as const),
    ...{ balance_at_save_micros: null, charge_at_method_micros: null },
    ...changed,
  },
  settings: {
    autopay: { enabled: false, threshold_micros: 5_000_000, amount_micros: 20_000_000 },
    details: { name: 'Acme', address: '1 Main Street\nSpringfield', tax_id: '' },
  },
});

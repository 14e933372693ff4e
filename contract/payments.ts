/** How money is moved: `test` moves none, and every screen of billing says so. */
export const PAYMENT_MODES = ['test', 'stripe'] as const;
export type PaymentMode = (typeof PAYMENT_MODES)[number];

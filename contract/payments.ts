/** `test` moves no money, and every billing screen says so. */
export const PAYMENT_MODES = ['test', 'stripe'] as const;
export type PaymentMode = (typeof PAYMENT_MODES)[number];

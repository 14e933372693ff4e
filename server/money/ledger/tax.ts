/** Tax on payments and refunds: the payer's rate, and the tax that an amount includes. Amounts in micro-USD. */
import type { SellerTax } from '../../platform/seller-tax.ts';

/** The tax on a receipt. */
export interface Taxed {
  /** The country of the payer's VAT id; null without a known one. */
  country: string | null;
  /** Thousandths of a percent; null if the seller has no tax settings. */
  rate: number | null;
  micros: number;
  note: string;
}

export const REVERSE_CHARGE = 'Reverse charge: the customer accounts for the tax.';

/** VAT ids by prefix, without it: of the European Union in the formats of VIES, and of its neighbours. */
const VAT_IDS: Readonly<Record<string, RegExp>> = {
  AT: /^U\d{8}$/,
  BE: /^[01]\d{9}$/,
  BG: /^\d{9,10}$/,
  CH: /^E\d{9}(MWST|TVA|IVA)?$/,
  CY: /^\d{8}[A-Z]$/,
  CZ: /^\d{8,10}$/,
  DE: /^\d{9}$/,
  DK: /^\d{8}$/,
  EE: /^\d{9}$/,
  EL: /^\d{9}$/,
  ES: /^[A-Z\d]\d{7}[A-Z\d]$/,
  FI: /^\d{8}$/,
  FR: /^[A-Z\d]{2}\d{9}$/,
  GB: /^(\d{9}|\d{12}|(GD|HA)\d{3})$/,
  HR: /^\d{11}$/,
  HU: /^\d{8}$/,
  IE: /^\d[A-Z\d+*]\d{5}[A-Z]{1,2}$/,
  IT: /^\d{11}$/,
  LT: /^(\d{9}|\d{12})$/,
  LU: /^\d{8}$/,
  LV: /^\d{11}$/,
  MT: /^\d{8}$/,
  NL: /^\d{9}B\d{2}$/,
  NO: /^\d{9}(MVA)?$/,
  PL: /^\d{10}$/,
  PT: /^\d{9}$/,
  RO: /^\d{2,10}$/,
  SE: /^\d{12}$/,
  SI: /^\d{8}$/,
  SK: /^\d{10}$/,
};

/** The country of a VAT id, two letters; undefined if the id does not have its country's format. */
export function countryOfVatId(taxId: string): string | undefined {
  const id = taxId
    .toUpperCase()
    .replaceAll(/[\s./-]/g, '')
    .replace(/^VAT(?=[A-Z])/, '')
    .replace(/^GR/, 'EL');
  const prefix = id.slice(0, 2);
  if (VAT_IDS[prefix]?.test(id.slice(2)) !== true) return undefined;
  return prefix === 'EL' ? 'GR' : prefix;
}

/** 100 percent. */
const WHOLE = 100_000n;
const MICROS_PER_CENT = 10_000n;

/** The tax that an amount includes, rounded half up to the cent. @param rate thousandths of a percent */
export function taxIn(totalMicros: number, rate: number): number {
  const share = BigInt(totalMicros) * BigInt(rate);
  const cent = (WHOLE + BigInt(rate)) * MICROS_PER_CENT;
  return Number(((2n * share + cent) / (2n * cent)) * MICROS_PER_CENT);
}

/** The tax on a payment. A payer with a VAT id of another country accounts for the tax: reverse charge. */
export function taxPayment(totalMicros: number, taxId: string, seller: SellerTax | undefined): Taxed {
  const country = countryOfVatId(taxId) ?? null;
  if (seller === undefined) return { country, rate: null, micros: 0, note: '' };
  const isKnown = (seller.country === 'GR' ? 'EL' : seller.country) in VAT_IDS;
  if (isKnown && country !== null && country !== seller.country)
    return { country, rate: 0, micros: 0, note: REVERSE_CHARGE };
  return { country, rate: seller.rate, micros: taxIn(totalMicros, seller.rate), note: '' };
}

/**
 * The tax on a refund, by the payment's rate. Computed so that all refunds of a payment have the tax of their sum:
 * parts that make up the whole payment have the tax of the whole.
 * @param before the sum of earlier refunds, and its tax
 */
export function taxRefund(
  totalMicros: number,
  paid: Pick<Taxed, 'country' | 'rate' | 'note'>,
  before: { totalMicros: number; taxMicros: number },
): Taxed {
  const { country, rate, note } = paid;
  const all = taxIn(before.totalMicros + totalMicros, rate ?? 0);
  return { country, rate, note, micros: Math.min(totalMicros, Math.max(0, all - before.taxMicros)) };
}

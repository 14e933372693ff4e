/** Country and rate of the seller's tax. */
export interface SellerTax {
  /** Two letters; Greece is GR. */
  country: string;
  /** Thousandths of a percent: 19 % is 19,000. Payments include the tax. */
  rate: number;
}

/** Reads a country and a rate in percent, such as `DE 19` or `FR 5.5% inclusive`; undefined if invalid. */
export function parseSellerTax(text: string): SellerTax | undefined {
  const [, country, percent] = /^([A-Z]{2}) (\d{1,2}(?:\.\d{1,3})?)%?(?: inclusive)?$/.exec(text) ?? [];
  return country === undefined || percent === undefined
    ? undefined
    : { country: country === 'EL' ? 'GR' : country, rate: Math.round(Number(percent) * 1000) };
}

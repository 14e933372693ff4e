/** Where who sells is taxed, and by how much. */
export interface SellerTax {
  /** Two letters; Greece is GR. */
  country: string;
  /** Thousandths of a percent: 19 % is 19,000. What people pay includes it. */
  rate: number;
}

/** Reads a country and a rate in percent: `DE 19`, `FR 5.5% inclusive`. Undefined for what is neither. */
export function parseSellerTax(text: string): SellerTax | undefined {
  const [, country, percent] = /^([A-Z]{2}) (\d{1,2}(?:\.\d{1,3})?)%?(?: inclusive)?$/.exec(text) ?? [];
  return country === undefined || percent === undefined
    ? undefined
    : { country: country === 'EL' ? 'GR' : country, rate: Math.round(Number(percent) * 1000) };
}

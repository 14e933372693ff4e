const MICROS_PER_CENT = 10_000;

/** Formats micro-USD to the cent, such as 1,234.50. For paid amounts, which are whole cents. */
export const inUsd = (micros: number): string =>
  new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 }).format(Math.round(micros / MICROS_PER_CENT) / 100);

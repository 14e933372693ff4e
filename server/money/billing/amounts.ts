const MICROS_PER_CENT = 10_000;

/** Micro-USD to the cent, such as 1,234.50; for amounts that were paid. */
export const inUsd = (micros: number): string =>
  new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 }).format(Math.round(micros / MICROS_PER_CENT) / 100);

import type { TextStorage } from '../browser/webStorage.ts';

const PARAMETER = 'ref';
/** Longest code that sign-up may send. */
const LENGTH_MAX = 100;
const keyOf = (product: string) => `${product}_ref`;

/** Stores the referral code in the page's address, if any, for a later sign-up (SES-11). */
export function keepReferral(pageUrl: URL, storage: TextStorage, product: string): void {
  const code = pageUrl.searchParams.get(PARAMETER)?.trim();
  if (code && code.length <= LENGTH_MAX) storage.write(keyOf(product), code);
}

/** The stored referral code. */
export const readReferral = (storage: TextStorage, product: string): string | undefined =>
  storage.read(keyOf(product)) ?? undefined;

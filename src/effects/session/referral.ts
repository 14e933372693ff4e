import type { TextStorage } from '../browser/webStorage.ts';

const PARAMETER = 'ref';
/** What sign-up may send. */
const LENGTH_MAX = 100;
const keyOf = (product: string) => `${product}_ref`;

/** Keeps the referral code of a page's address, if it has one, for a later sign-up (SES-11). */
export function keepReferral(pageUrl: URL, storage: TextStorage, product: string): void {
  const code = pageUrl.searchParams.get(PARAMETER)?.trim();
  if (code && code.length <= LENGTH_MAX) storage.write(keyOf(product), code);
}

/** The kept referral code. */
export const readReferral = (storage: TextStorage, product: string): string | undefined =>
  storage.read(keyOf(product)) ?? undefined;

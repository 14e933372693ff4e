import type { Failure } from '../shared/failure.ts';

/** Why a link from an e-mail does not work. */
export type LinkRefusal = 'used' | 'expired' | 'unknown';

const REFUSALS: Record<string, LinkRefusal> = {
  token_used: 'used',
  token_expired: 'expired',
  token_not_found: 'unknown',
};

/** Why the link does not work; null if the failure has another cause. */
export const refusalOf = (failure: Failure | null): LinkRefusal | null => REFUSALS[failure?.errorType ?? ''] ?? null;

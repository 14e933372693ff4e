import type { Failure } from '../shared/failure.ts';

/** Why a link from an e-mail does not work; only an invitation can be revoked. */
export type LinkRefusal = 'used' | 'expired' | 'revoked' | 'unknown';

const REFUSALS: Record<string, LinkRefusal> = {
  token_used: 'used',
  token_expired: 'expired',
  token_revoked: 'revoked',
  token_not_found: 'unknown',
};

/** Why the link does not work; null if the failure has another cause. */
export const refusalOf = (failure: Failure | null): LinkRefusal | null => REFUSALS[failure?.errorType ?? ''] ?? null;

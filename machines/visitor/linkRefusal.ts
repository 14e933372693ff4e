import type { Failure } from '../shared/failure.ts';

/** Why a link of an e-mail is of no use. */
export type LinkRefusal = 'used' | 'expired' | 'unknown';

const REFUSALS: Record<string, LinkRefusal> = {
  token_used: 'used',
  token_expired: 'expired',
  token_not_found: 'unknown',
};

/** What a failure says about the link; null where it is about something else. */
export const refusalOf = (failure: Failure | null): LinkRefusal | null => REFUSALS[failure?.errorType ?? ''] ?? null;

import type { ReachedLimit } from '#contract/errors.ts';
import { ApiProblem } from '../http/errors.ts';
import { EXHAUSTED } from '../money/ledger/admission.ts';

export const BALANCE: ReachedLimit = { name: 'balance', of: 'organization' };

/** The organization's balance is used up. */
export const balanceExhausted = (): ApiProblem =>
  new ApiProblem(402, 'organization_balance_exhausted', EXHAUSTED, [], {}, BALANCE);

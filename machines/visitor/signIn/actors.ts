import type { SignInRequest, TokenPair } from '#contract/session.ts';
import type { Submitted } from '../../shared/form/types.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** POST /token/; rejects with a CallError. */
export const requestTokens = promisePlaceholder<TokenPair, Submitted<SignInRequest, {}>>('requestTokens');

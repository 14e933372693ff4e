import type { SignInRequest, TokenPair } from '#contract/session.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** POST /token/; rejects with a CallError. */
export const requestTokens = promisePlaceholder<TokenPair, { values: SignInRequest }>('requestTokens');

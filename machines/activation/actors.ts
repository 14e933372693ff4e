import type { Activation, ActivationRequest } from '#contract/accounts.ts';
import type { TokenPair } from '#contract/session.ts';
import { promisePlaceholder } from '../placeholder.ts';

/** GET /signup/{token}/; rejects with a CallError whose errorType may be token_used, token_expired or token_not_found. */
export const readActivation = promisePlaceholder<Activation, { token: string }>('readActivation');

/** PUT /signup/{token}/; rejects like {@link readActivation}. */
export const activate = promisePlaceholder<TokenPair, { values: ActivationRequest & { token: string } }>('activate');

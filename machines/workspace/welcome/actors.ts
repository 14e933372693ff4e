import type { Welcome } from '#contract/organizations.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** POST /user/welcome/: creates a new account's first organization and project; nulls for other accounts. */
export const askWelcome = promisePlaceholder<Welcome>('askWelcome');

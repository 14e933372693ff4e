import type { Welcome } from '#contract/organizations.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** POST /user/welcome/: what a new account begins with; nulls for others. */
export const askWelcome = promisePlaceholder<Welcome>('askWelcome');

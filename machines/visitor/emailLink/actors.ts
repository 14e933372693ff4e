import type { Submitted } from '../../shared/form/types.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

export type EmailPurpose = 'signUp' | 'resendActivation' | 'passwordRecovery';

export type EmailAbout = {
  purpose: EmailPurpose;
  /** Where the link leads in the end; empty: wherever such a link leads by itself. */
  from: string;
};

/** Has an e-mail with a link sent; never tells whether an account exists. */
export const requestEmail = promisePlaceholder<void, Submitted<{ email: string }, EmailAbout>>('requestEmail');

import { promisePlaceholder } from '../../shared/placeholder.ts';

export type EmailPurpose = 'signUp' | 'resendActivation' | 'passwordRecovery';

export type EmailRequest = {
  purpose: EmailPurpose;
  email: string;
  /** Where the link leads in the end; empty: wherever such a link leads by itself. */
  from: string;
};

/** Has an e-mail with a link sent; never tells whether an account exists. */
export const requestEmail = promisePlaceholder<void, { values: EmailRequest }>('requestEmail');

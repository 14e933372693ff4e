import type { Submitted } from '../../shared/form/types.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

export type EmailPurpose = 'signUp' | 'resendActivation' | 'passwordRecovery';

export type EmailAbout = {
  purpose: EmailPurpose;
  /** Path that the link leads to in the end; empty for its default. */
  from: string;
};

/** Requests an e-mail with a link; the answer does not tell whether an account exists. */
export const requestEmail = promisePlaceholder<void, Submitted<{ email: string }, EmailAbout>>('requestEmail');

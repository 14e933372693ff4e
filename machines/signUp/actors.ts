import { promisePlaceholder } from '../placeholder.ts';

export type EmailPurpose = 'signUp' | 'resendActivation';

/** Has an activation e-mail sent: PUT /signup/verify-email/, or the resend call; never tells whether an account exists. */
export const requestEmail = promisePlaceholder<void, { values: { purpose: EmailPurpose; email: string } }>('requestEmail');

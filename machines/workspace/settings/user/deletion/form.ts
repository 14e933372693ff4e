import * as v from 'valibot';
import { isSameEmail } from '#contract/emails.ts';
import { createForm } from '../../../../shared/form/machine.ts';
import { deleteAccount, type PasswordOwner } from '../actors.ts';

/** Refusals because the account can no longer be deleted as when the dialog opened. */
const OUTDATED = ['last_owner', 'sign_in_again'];

const confirmedBy = ({ has_password, email }: PasswordOwner) =>
  v.object({
    email: v.pipe(
      v.string(),
      v.trim(),
      v.check((typed) => isSameEmail(typed, email), 'Type the e-mail address of your account.'),
    ),
    password: v.pipe(
      v.string(),
      v.check((typed) => has_password === '' || typed !== '', 'Please enter your password.'),
    ),
  });

/** Asks for the e-mail address, and for the password if the account has one. */
export const accountDeletionForm = createForm({
  id: 'accountDeletionForm',
  schema: confirmedBy,
  initial: { email: '', password: '' },
  submit: deleteAccount,
  dismissible: true,
  discardedWith: null,
  endsOn: ({ errorType }) => OUTDATED.includes(errorType ?? ''),
});

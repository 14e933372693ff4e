import * as v from 'valibot';
import { UserUpdate } from '#contract/accounts.ts';
import { isOtherPassword, NewPassword, PASSWORD_SAME } from '#contract/passwords.ts';
import { isAbout } from '../../../shared/form/errors.ts';
import { createForm } from '../../../shared/form/machine.ts';
import { passwordAdvice } from '../../../shared/newPassword/advice.ts';
import { changePassword, saveUser, type PasswordOwner } from './actors.ts';

export const profileForm = createForm({
  id: 'profileForm',
  schema: UserUpdate,
  initial: { name: '' },
  submit: saveUser,
  keeps: ['name'],
});

const passwordsOf = ({ has_password }: PasswordOwner) =>
  v.config(
    v.pipe(
      v.object({
        current_password: v.pipe(
          v.string(),
          v.check((typed) => has_password === '' || typed !== '', 'Please enter your current password.'),
        ),
        new_password: NewPassword,
        confirm_password: v.string(),
      }),
      v.forward(
        v.check(({ current_password, new_password }) => isOtherPassword(current_password, new_password), PASSWORD_SAME),
        ['new_password'],
      ),
      v.forward(
        v.check(
          ({ new_password, confirm_password }) => new_password === confirm_password,
          'The passwords are not the same.',
        ),
        ['confirm_password'],
      ),
    ),
    // Reports other errors beside a too short new password.
    { abortPipeEarly: false },
  );

/** The current password, if the account has one, and the new one twice. */
export const changePasswordForm = createForm({
  id: 'changePasswordForm',
  schema: passwordsOf,
  initial: { current_password: '', new_password: '', confirm_password: '' },
  submit: changePassword,
  blames: (failure) => {
    if (failure.errorType === 'invalid_credentials') return 'current_password';
    return isAbout(failure, 'new_password') ? 'new_password' : null;
  },
  advice: passwordAdvice('new_password'),
});

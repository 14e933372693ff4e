import * as v from 'valibot';
import { UserUpdate } from '#contract/accounts.ts';
import { NewPassword } from '#contract/passwords.ts';
import { createForm, isAbout } from '../../../shared/form/machine.ts';
import { passwordAdvice } from '../../../shared/newPassword/advice.ts';
import { changePassword, saveUser } from './actors.ts';

export const profileForm = createForm({
  id: 'profileForm',
  schema: UserUpdate,
  initial: { name: '' },
  submit: saveUser,
  keeps: ['name'],
});

const PasswordForm = v.config(
  v.pipe(
    v.object({
      has_password: v.string(),
      current_password: v.string(),
      new_password: NewPassword,
      confirm_password: v.string(),
      email: v.string(),
    }),
    v.forward(
      v.partialCheck(
        [['has_password'], ['current_password']],
        ({ has_password, current_password }) => has_password === '' || current_password !== '',
        'Please enter your current password.',
      ),
      ['current_password'],
    ),
    v.forward(
      v.partialCheck(
        [['new_password'], ['confirm_password']],
        ({ new_password, confirm_password }) => new_password === confirm_password,
        'The passwords are not the same.',
      ),
      ['confirm_password'],
    ),
  ),
  // Also what is wrong beside a new password that is too short.
  { abortPipeEarly: false },
);

/** The current password and, twice, the new one. An account that has none yet is not asked for it. */
export const changePasswordForm = createForm({
  id: 'changePasswordForm',
  schema: PasswordForm,
  initial: { has_password: '', current_password: '', new_password: '', confirm_password: '', email: '' },
  submit: changePassword,
  blames: (failure) => {
    if (failure.errorType === 'invalid_credentials') return 'current_password';
    return isAbout(failure, 'new_password') ? 'new_password' : null;
  },
  advice: passwordAdvice('new_password'),
});

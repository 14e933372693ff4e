import type { User, UserUpdate } from '#contract/accounts.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

/** PUT /user/. */
export const saveUser = promisePlaceholder<User, { values: UserUpdate }>('saveUser');

/** What the form of the password hands over; `has_password` is 'yes' or empty, the e-mail is there for the advice only. */
export type PasswordValues = {
  has_password: string;
  current_password: string;
  new_password: string;
  confirm_password: string;
  email: string;
};
/** PUT /user/password/. */
export const changePassword = promisePlaceholder<void, { values: PasswordValues }>('changePassword');

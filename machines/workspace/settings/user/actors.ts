import type { AccountDeletion, AccountDeletionCheck, User, UserUpdate } from '#contract/accounts.ts';
import type { Submitted } from '../../../shared/form/types.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

/** PUT /user/. */
export const saveUser = promisePlaceholder<User, Submitted<UserUpdate, {}>>('saveUser');

/** `about` of forms with a password: `has_password` is 'yes' or empty; the password advice uses the e-mail. */
export type PasswordOwner = { has_password: string; email: string };
export type PasswordValues = { current_password: string; new_password: string; confirm_password: string };
/** PUT /user/password/. */
export const changePassword = promisePlaceholder<void, Submitted<PasswordValues, PasswordOwner>>('changePassword');

/** GET /user/deletion/. */
export const checkDeletion = promisePlaceholder<AccountDeletionCheck, void>('checkDeletion');
/** POST /user/deletion/. */
export const deleteAccount = promisePlaceholder<void, Submitted<AccountDeletion, PasswordOwner>>('deleteAccount');

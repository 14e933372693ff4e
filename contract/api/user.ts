import { AccountDeletion, AccountDeletionCheck, PasswordChange, User, UserUpdate } from '../accounts.ts';
import { Empty } from '../session.ts';
import type { Row } from './route.ts';

export const changePassword = {
  method: 'put',
  path: '/api/v2/user/password/',
  tag: 'Password',
  summary: "Change the password; the user's other sessions end",
  access: 'bearer',
  body: { json: PasswordChange },
  answers: { 200: Empty },
  errors: { 400: ['invalid_credentials'], 429: ['limit_exceeded'] },
} as const satisfies Row;

export const readUser = {
  method: 'get',
  path: '/api/v2/user/',
  tag: 'User',
  summary: 'Get the signed-in user',
  access: 'bearer',
  answers: { 200: User },
} as const satisfies Row;

export const updateUser = {
  method: 'put',
  path: '/api/v2/user/',
  tag: 'User',
  summary: 'Update the profile of the signed-in user',
  access: 'bearer',
  body: { json: UserUpdate },
  answers: { 200: User },
} as const satisfies Row;

export const checkAccountDeletion = {
  method: 'get',
  path: '/api/v2/user/deletion/',
  tag: 'User',
  summary: "Get what prevents the account's deletion, and what the deletion ends",
  access: 'bearer',
  answers: { 200: AccountDeletionCheck },
} as const satisfies Row;

export const deleteAccount = {
  method: 'post',
  path: '/api/v2/user/deletion/',
  tag: 'User',
  summary: 'Delete the account of the signed-in user',
  description:
    'Ends memberships, sessions, and API keys that the user made in their organizations at once. Removes personal data; logs and usage keep `Deleted person` with the start of the id.',
  access: 'bearer',
  body: { json: AccountDeletion },
  answers: { 204: 'nothing' },
  errors: { 400: ['invalid_credentials', 'sign_in_again', 'last_owner'], 429: ['limit_exceeded'] },
} as const satisfies Row;

export const exportAccount = {
  method: 'get',
  path: '/api/v2/user/export/',
  tag: 'User',
  summary: 'Download the data of the signed-in user',
  description:
    'One ZIP archive; its README.txt lists what it contains and what it leaves out. If the server fails while it writes the archive, the download breaks off.',
  access: 'bearer',
  answers: { 200: 'bytes' },
  errors: { 429: ['limit_exceeded'] },
} as const satisfies Row;

/** The account of the signed-in user. */
export const USER_CALLS = {
  changePassword,
  readUser,
  updateUser,
  checkAccountDeletion,
  deleteAccount,
  exportAccount,
};

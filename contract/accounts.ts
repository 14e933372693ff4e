import * as v from 'valibot';
import { Email } from './emails.ts';
import { NAME_MAX, OwnPath, Uuid } from './fields.ts';
import { isOtherPassword, NewPassword, PASSWORD_SAME } from './passwords.ts';

/** PUT /api/v2/signup/verify-email/ → {} whether or not the address has an account. */
export const VerifyEmailRequest = v.object({
  email: Email,
  referral: v.optional(v.pipe(v.string(), v.maxLength(100))),
  /** Path that the activation link leads to, such as an invitation; works on another device too. */
  from: v.optional(OwnPath),
});
export type VerifyEmailRequest = v.InferOutput<typeof VerifyEmailRequest>;

/** GET /api/v2/signup/{token}/. 400 `token_used` or `token_expired`; 404 `token_not_found` if the token is unknown. */
export const Activation = v.object({ email: v.string(), from: v.nullable(v.string()) });
export type Activation = v.InferOutput<typeof Activation>;

/** PUT /api/v2/signup/{token}/ → TokenPair. */
export const ActivationRequest = v.object({ password: NewPassword });
export type ActivationRequest = v.InferOutput<typeof ActivationRequest>;

/** PUT /api/v2/user/password/recover/ → {} whether or not the address has an account. */
export const RecoveryRequest = v.object({ email: Email });
export type RecoveryRequest = v.InferOutput<typeof RecoveryRequest>;

/** GET /api/v2/user/password/{token}/. Errors as for {@link Activation}. */
export const Recovery = v.object({ email: v.string() });
export type Recovery = v.InferOutput<typeof Recovery>;

/** POST /api/v2/user/password/{token}/ → TokenPair. Ends every other session of the user. */
export const PasswordResetRequest = v.object({ password: NewPassword });
export type PasswordResetRequest = v.InferOutput<typeof PasswordResetRequest>;

/** PUT /api/v2/user/password/ → {}. Ends the user's other sessions. 400 `invalid_credentials`: wrong password. */
export const PasswordChange = v.pipe(
  v.object({
    /** Empty if the account has no password yet (single sign-on). */
    current_password: v.string(),
    new_password: NewPassword,
  }),
  v.forward(
    v.check(({ current_password, new_password }) => isOtherPassword(current_password, new_password), PASSWORD_SAME),
    ['new_password'],
  ),
);
export type PasswordChange = v.InferOutput<typeof PasswordChange>;

/** GET /api/v2/user/ */
export const User = v.object({
  uuid: Uuid,
  email: v.string(),
  /** Empty until the user sets it. */
  name: v.string(),
  /** False if single sign-on made the account and nobody has set a password since. */
  has_password: v.boolean(),
});
export type User = v.InferOutput<typeof User>;

/** PUT /api/v2/user/ → User. */
export const UserUpdate = v.object({
  name: v.pipe(v.string(), v.trim(), v.maxLength(NAME_MAX, `Name must be at most ${NAME_MAX} characters.`)),
});
export type UserUpdate = v.InferOutput<typeof UserUpdate>;

/** An account without a password can be deleted only within this many minutes after a sign-in. */
export const FRESH_SIGN_IN_MINUTES = 10;

/** GET /api/v2/user/deletion/: what prevents the deletion of the account, and what the deletion ends. */
export const AccountDeletionCheck = v.object({
  /** Organizations whose only owner is the person, oldest first; `others` counts their other members. */
  organizations: v.array(v.object({ uuid: Uuid, name: v.string(), others: v.number() })),
  /** Working API keys that the person made in their organizations. */
  api_keys: v.number(),
  /** `sign_in_again`: the account has no password, and this session is too old. */
  confirmed_by: v.picklist(['password', 'recent_sign_in', 'sign_in_again']),
});
export type AccountDeletionCheck = v.InferOutput<typeof AccountDeletionCheck>;

/**
 * POST /api/v2/user/deletion/ → 204. 400 `invalid_credentials`: wrong e-mail address or password; `sign_in_again`: the
 * session is too old; `last_owner`: an organization would have no owner.
 */
export const AccountDeletion = v.object({
  /** The account's address, which the user types to confirm. */
  email: v.string(),
  /** Empty if the account has none. */
  password: v.string(),
});
export type AccountDeletion = v.InferOutput<typeof AccountDeletion>;

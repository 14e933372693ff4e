import * as v from 'valibot';
import { Email } from './emails.ts';
import { NAME_MAX, OwnPath, Uuid } from './fields.ts';
import { NewPassword } from './passwords.ts';

/** PUT /api/v2/signup/verify-email/ → {} whether or not the address has an account. */
export const VerifyEmailRequest = v.object({
  email: Email,
  referral: v.optional(v.pipe(v.string(), v.maxLength(100))),
  /** Where the person was going, such as an invitation; the activation leads there, from another device too. */
  from: v.optional(OwnPath),
});
export type VerifyEmailRequest = v.InferOutput<typeof VerifyEmailRequest>;

/** GET /api/v2/signup/{token}/ ; a used or expired token is a 400 with error_type 'token_used' or 'token_expired', an unknown one 404 'token_not_found'. */
export const Activation = v.object({ email: v.string(), from: v.nullable(v.string()) });
export type Activation = v.InferOutput<typeof Activation>;

/** PUT /api/v2/signup/{token}/ → TokenPair. */
export const ActivationRequest = v.object({ password: NewPassword });
export type ActivationRequest = v.InferOutput<typeof ActivationRequest>;

/** PUT /api/v2/user/password/recover/ → {} whether or not the address has an account. */
export const RecoveryRequest = v.object({ email: Email });
export type RecoveryRequest = v.InferOutput<typeof RecoveryRequest>;

/** GET /api/v2/user/password/{token}/ ; refusals as of {@link Activation}. */
export const Recovery = v.object({ email: v.string() });
export type Recovery = v.InferOutput<typeof Recovery>;

/** POST /api/v2/user/password/{token}/ → TokenPair; every other session of the user ends. */
export const PasswordResetRequest = v.object({ password: NewPassword });
export type PasswordResetRequest = v.InferOutput<typeof PasswordResetRequest>;

/** PUT /api/v2/user/password/ → {}; the user's other sessions end. A wrong current password: 400 `invalid_credentials`. */
export const PasswordChange = v.object({
  /** Empty for an account that has none yet (single sign-on). */
  current_password: v.string(),
  new_password: NewPassword,
});
export type PasswordChange = v.InferOutput<typeof PasswordChange>;

/** GET /api/v2/user/ */
export const User = v.object({
  uuid: Uuid,
  email: v.string(),
  /** Empty until it is given. */
  name: v.string(),
  /** False for an account that was made by single sign-on and never got one. */
  has_password: v.boolean(),
});
export type User = v.InferOutput<typeof User>;

/** PUT /api/v2/user/ → User. */
export const UserUpdate = v.object({
  name: v.pipe(v.string(), v.trim(), v.maxLength(NAME_MAX, `Name must be at most ${NAME_MAX} characters.`)),
});
export type UserUpdate = v.InferOutput<typeof UserUpdate>;

/** How an account without a password confirms its deletion: by a session that began at most so long ago, minutes. */
export const FRESH_SIGN_IN_MINUTES = 10;

/** GET /api/v2/user/deletion/ : what stands in the way of the account's deletion, and what it ends. */
export const AccountDeletionCheck = v.object({
  /** Organizations whose only owner the person is, oldest first: each needs another owner, or to be deleted, first. */
  organizations: v.array(v.object({ uuid: Uuid, name: v.string(), others: v.number() })),
  /** API keys that the person made in organizations of theirs, and that work still. */
  api_keys: v.number(),
  /** `sign_in_again`: the account has no password, and this session began too long ago. */
  confirmed_by: v.picklist(['password', 'recent_sign_in', 'sign_in_again']),
});
export type AccountDeletionCheck = v.InferOutput<typeof AccountDeletionCheck>;

/**
 * POST /api/v2/user/deletion/ → 204; the account is gone. 400 `invalid_credentials` for a wrong password, `sign_in_again` for want of a
 * recent sign-in, `last_owner` where an organization would have no owner.
 */
export const AccountDeletion = v.object({
  /** Of the account, typed. */
  email: v.string(),
  /** Empty for an account that has none. */
  password: v.string(),
});
export type AccountDeletion = v.InferOutput<typeof AccountDeletion>;

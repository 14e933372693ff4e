import * as v from 'valibot';

export const EMAIL_MAX = 254;
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;

export const Email = v.pipe(
  v.string(),
  v.trim(),
  v.email('Please enter a email address.'),
  v.maxLength(EMAIL_MAX, `E-mail must be at most ${EMAIL_MAX} characters.`),
);
export const NewPassword = v.pipe(
  v.string(),
  v.minLength(PASSWORD_MIN, `Password must be at least ${PASSWORD_MIN} characters.`),
  v.maxLength(PASSWORD_MAX, `Password must be at most ${PASSWORD_MAX} characters.`),
);

/** PUT /api/v2/signup/verify-email/ → {} whether or not the address has an account. */
export const VerifyEmailRequest = v.object({ email: Email, referral: v.optional(v.pipe(v.string(), v.maxLength(100))) });
export type VerifyEmailRequest = v.InferOutput<typeof VerifyEmailRequest>;

/** GET /api/v2/signup/{token}/ ; a used or expired token is a 400 with error_type 'token_used' or 'token_expired', an unknown one 404 'token_not_found'. */
export const Activation = v.object({ email: v.string() });
export type Activation = v.InferOutput<typeof Activation>;

/** PUT /api/v2/signup/{token}/ → TokenPair. */
export const ActivationRequest = v.object({ password: NewPassword });
export type ActivationRequest = v.InferOutput<typeof ActivationRequest>;

/** GET /api/v2/user/ */
export const User = v.object({ email: v.string() });
export type User = v.InferOutput<typeof User>;

import * as v from 'valibot';
import { OwnPath } from './fields.ts';
import { TokenPair } from './session.ts';

/** POST /api/v2/sso/redirect/: begins a sign-in at the identity provider. 404 `sso_not_configured` if there is none. */
export const SsoRedirectRequest = v.object({ from: v.optional(OwnPath) });
export type SsoRedirectRequest = v.InferOutput<typeof SsoRedirectRequest>;
/** The provider's page. An HttpOnly cookie binds the attempt to this browser. */
export const SsoRedirect = v.object({ url: v.pipe(v.string(), v.url()) });
export type SsoRedirect = v.InferOutput<typeof SsoRedirect>;

/** POST /api/v2/sso/token/: the unchanged query with which the provider sent the browser back. */
export const SsoTokenRequest = v.object({ query: v.pipe(v.string(), v.maxLength(8192)) });
export type SsoTokenRequest = v.InferOutput<typeof SsoTokenRequest>;

/** Signed in, or a new person whom the console asks before it creates an account. `from` is the path they wanted. */
export const SsoToken = v.variant('outcome', [
  v.object({ outcome: v.literal('signed_in'), tokens: TokenPair, from: v.nullable(v.string()) }),
  v.object({
    outcome: v.literal('unknown_user'),
    signup_token: v.string(),
    email: v.string(),
    name: v.string(),
    from: v.nullable(v.string()),
  }),
]);
export type SsoToken = v.InferOutput<typeof SsoToken>;

/** POST /api/v2/sso/signup/ → TokenPair: creates the account after `unknown_user`. */
export const SsoSignUpRequest = v.object({
  signup_token: v.string(),
  referral: v.optional(v.pipe(v.string(), v.maxLength(100))),
});
export type SsoSignUpRequest = v.InferOutput<typeof SsoSignUpRequest>;

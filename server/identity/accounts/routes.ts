import { ActivationRequest } from '#contract/accounts.ts';
import { ACCOUNT_CALLS } from '#contract/api/main.ts';
import type { TokenPair } from '#contract/session.ts';
import type { Hono } from 'hono';
import type { Services } from '../../platform/context.ts';
import { requireUser, verifyAccess } from '../auth.ts';
import { Calls } from '../../http/calls.ts';
import { peerOf } from '../../http/client-address.ts';
import type { AppEnv } from '../../http/env.ts';
import { unauthenticated } from '../../platform/refusal.ts';
import { countCall, type Rate } from '../../platform/rate-limit.ts';
import { readJson } from '../../http/validate.ts';
import { deviceCookies } from './device-cookies.ts';
import { rememberDevice } from './devices.ts';
import { emailKey } from './emails.ts';
import { checkNewPassword } from './password-rule.ts';
import { signIn } from './sign-in.ts';
import { endSession, openSession, rotate } from './sessions.ts';
import { activate, readActivation, requestSignUp } from './sign-up.ts';
import { readUser, updateUser } from './users.ts';

const SIGN_UP_RATE: Rate = { burst: 3, everyMs: 60_000 };
const SIGN_UP_PEER_RATE: Rate = { burst: 30, everyMs: 10_000 };

/** Tokens of sessions, sign-up, and the signed-in user (SES-04, ACC-02, ACC-09). */
export function accountRoutes(services: Services): Hono<AppEnv> {
  return new Calls({ guard: requireUser(services) })
    .answer(ACCOUNT_CALLS.signIn, async ({ c, body }) => {
      const proven = await signIn(
        services,
        { network: peerOf(services, c), cookies: deviceCookies(services, c) },
        body,
      );
      const tokens = await openSession(services, proven);
      await rememberDevice(services, deviceCookies(services, c), proven.userId);
      return tokens;
    })
    .answer(ACCOUNT_CALLS.refreshSession, ({ body }) => rotate(services, body.refresh))
    .answer(ACCOUNT_CALLS.verifyAccess, async ({ body }) => {
      if ((await verifyAccess(services, body.token)) === undefined) throw unauthenticated();
      return {};
    })
    .answer(ACCOUNT_CALLS.signOut, async ({ body }) => {
      await endSession(services, body.refresh);
      return {};
    })
    .answer(ACCOUNT_CALLS.requestSignUp, async ({ c, body: { email, referral, from } }) => {
      await countCall(services, `sign-up ${peerOf(services, c)}`, SIGN_UP_PEER_RATE);
      await countCall(services, `sign-up ${peerOf(services, c)} ${emailKey(email)}`, SIGN_UP_RATE);
      await requestSignUp(services, email, referral, from);
      return {};
    })
    .answer(ACCOUNT_CALLS.readActivation, async ({ param }) => {
      const { email, from } = await readActivation(services, param('token'));
      return { email, from };
    })
    .respond(ACCOUNT_CALLS.activate, async ({ c, param }) => {
      const token = param('token');
      // Refuse a dead link before a bad password.
      const { email } = await readActivation(services, token);
      const { password } = await readJson(c, ActivationRequest);
      await checkNewPassword(services, { email, password, location: 'body.password' });
      const userId = await activate(services, token, password);
      await rememberDevice(services, deviceCookies(services, c), userId);
      return c.json((await openSession(services, { userId })) satisfies TokenPair);
    })
    .answer(ACCOUNT_CALLS.readUser, ({ c }) => readUser(services, c.var.user.userId))
    .answer(ACCOUNT_CALLS.updateUser, ({ c, body }) => updateUser(services, c.var.user.userId, body));
}

import { PasswordResetRequest } from '#contract/accounts.ts';
import { ACCOUNT_CALLS } from '#contract/api/main.ts';
import type { TokenPair } from '#contract/session.ts';
import type { Hono } from 'hono';
import type { Services } from '../../platform/context.ts';
import { requireUser } from '../auth.ts';
import { Calls } from '../../http/calls.ts';
import { peerOf } from '../../http/client-address.ts';
import type { AppEnv } from '../../http/env.ts';
import { countCall, forgetCalls, type Rate } from '../../platform/rate-limit.ts';
import { readJson } from '../../http/validate.ts';
import { deviceCookies } from './device-cookies.ts';
import { rememberDevice } from './devices.ts';
import { checkNewPassword } from './password-rule.ts';
import { readRecovery, requestRecovery, resetPassword } from './recovery.ts';
import { openSession } from './sessions.ts';
import { emailKey } from './emails.ts';
import { changePassword } from './users.ts';

/** Requests of one visitor: for one address, and for all addresses. */
const RECOVERY_RATE: Rate = { burst: 3, everyMs: 60_000 };
const RECOVERY_PEER_RATE: Rate = { burst: 30, everyMs: 10_000 };
/** Wrong current passwords of one user, from all visitors and in all forms. */
export const PASSWORD_TRIES: Rate = { burst: 5, everyMs: 12_000 };
export const passwordTries = (userId: string): string => `password ${userId}`;

/** Routes of passwords (ACC-05, ACC-06, ACC-09). */
export function passwordRoutes(services: Services): Hono<AppEnv> {
  return new Calls({ guard: requireUser(services) })
    .answer(ACCOUNT_CALLS.requestRecovery, async ({ c, body: { email } }) => {
      await countCall(services, `recovery ${peerOf(services, c)}`, RECOVERY_PEER_RATE);
      await countCall(services, `recovery ${peerOf(services, c)} ${emailKey(email)}`, RECOVERY_RATE);
      await requestRecovery(services, email);
      return {};
    })
    .answer(ACCOUNT_CALLS.readRecovery, async ({ param }) => {
      const { email } = await readRecovery(services, param('token'));
      return { email };
    })
    .respond(ACCOUNT_CALLS.resetPassword, async ({ c, param }) => {
      const token = param('token');
      // Checks the link first: its error comes before that of a weak password.
      const { email } = await readRecovery(services, token);
      const { password } = await readJson(c, PasswordResetRequest);
      await checkNewPassword(services, { email, password, location: 'body.password' });
      const proven = await resetPassword(services, token, password);
      const tokens = await openSession(services, proven);
      await rememberDevice(services, deviceCookies(services, c), proven.userId);
      return c.json(tokens satisfies TokenPair);
    })
    .answer(ACCOUNT_CALLS.changePassword, async ({ c, body }) => {
      const { userId, email } = c.var.user;
      const key = passwordTries(userId);
      // Checked first, so that a weak new password does not count as a try of the current one.
      await checkNewPassword(services, { email, password: body.new_password, location: 'body.new_password' });
      await countCall(services, key, PASSWORD_TRIES);
      await changePassword(services, c.var.user, body);
      await forgetCalls(services, key);
      await rememberDevice(services, deviceCookies(services, c), userId);
      return {};
    });
}

import { PasswordChange, PasswordResetRequest, RecoveryRequest, type Recovery } from '#contract/accounts.ts';
import type { TokenPair } from '#contract/session.ts';
import { Hono } from 'hono';
import type { Services } from '../../platform/context.ts';
import { requireUser } from '../auth.ts';
import { peerOf } from '../../http/client-address.ts';
import type { AppEnv } from '../../http/env.ts';
import { countCall, forgetCalls, type Rate } from '../../http/rate-limit.ts';
import { readJson } from '../../http/validate.ts';
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

/** Routes of passwords (spec §7). */
export function passwordRoutes(services: Services): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  // The links below have the same path with other methods: "recover" is no token here.
  routes.put('/api/v2/user/password/recover', async (c) => {
    const { email } = await readJson(c, RecoveryRequest);
    await countCall(services, `recovery ${peerOf(services, c)}`, RECOVERY_PEER_RATE);
    await countCall(services, `recovery ${peerOf(services, c)} ${emailKey(email)}`, RECOVERY_RATE);
    await requestRecovery(services, email);
    return c.json({});
  });

  routes.get('/api/v2/user/password/:token', async (c) => {
    const { email } = await readRecovery(services, c.req.param('token'));
    return c.json({ email } satisfies Recovery);
  });

  routes.post('/api/v2/user/password/:token', async (c) => {
    const token = c.req.param('token');
    // Checks the link first: its error comes before that of a weak password.
    const { email } = await readRecovery(services, token);
    const { password } = await readJson(c, PasswordResetRequest);
    await checkNewPassword(services, { email, password, location: 'body.password' });
    const proven = await resetPassword(services, token, password);
    const tokens = await openSession(services, proven);
    await rememberDevice(services, c, proven.userId);
    return c.json(tokens satisfies TokenPair);
  });

  routes.put('/api/v2/user/password', requireUser(services), async (c) => {
    const change = await readJson(c, PasswordChange);
    const key = passwordTries(c.var.user.userId);
    // Checked first, so that a weak new password does not count as a try of the current one.
    await checkNewPassword(services, {
      email: c.var.user.email,
      password: change.new_password,
      location: 'body.new_password',
    });
    await countCall(services, key, PASSWORD_TRIES);
    await changePassword(services, c.var.user, change);
    await forgetCalls(services, key);
    await rememberDevice(services, c, c.var.user.userId);
    return c.json({});
  });

  return routes;
}

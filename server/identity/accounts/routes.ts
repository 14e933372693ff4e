import { ActivationRequest, UserUpdate, VerifyEmailRequest, type Activation } from '#contract/accounts.ts';
import { RefreshRequest, SignInRequest, VerifyRequest, type TokenPair } from '#contract/session.ts';
import { Hono } from 'hono';
import type { Services } from '../../platform/context.ts';
import { requireUser, verifyAccess } from '../auth.ts';
import { peerOf } from '../../http/client-address.ts';
import type { AppEnv } from '../../http/env.ts';
import { unauthenticated } from '../../http/errors.ts';
import { countCall, type Rate } from '../../http/rate-limit.ts';
import { readJson } from '../../http/validate.ts';
import { rememberDevice } from './devices.ts';
import { emailKey } from './emails.ts';
import { checkNewPassword } from './password-rule.ts';
import { signIn } from './sign-in.ts';
import { endSession, openSession, rotate } from './sessions.ts';
import { activate, readActivation, requestSignUp } from './sign-up.ts';
import { readUser, updateUser } from './users.ts';

const SIGN_UP_RATE: Rate = { burst: 3, everyMs: 60_000 };
const SIGN_UP_PEER_RATE: Rate = { burst: 30, everyMs: 10_000 };

/** Token, Sign-up and User of spec §7. */
export function accountRoutes(services: Services): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.post('/api/v2/token', async (c) => {
    const proven = await signIn(services, c, await readJson(c, SignInRequest));
    const tokens = await openSession(services, proven);
    await rememberDevice(services, c, proven.userId);
    return c.json(tokens satisfies TokenPair);
  });

  routes.post('/api/v2/token/refresh', async (c) => {
    const { refresh } = await readJson(c, RefreshRequest);
    return c.json((await rotate(services, refresh)) satisfies TokenPair);
  });

  routes.post('/api/v2/token/verify', async (c) => {
    const { token } = await readJson(c, VerifyRequest);
    if ((await verifyAccess(services, token)) === undefined) throw unauthenticated();
    return c.json({});
  });

  routes.post('/api/v2/token/invalidate', async (c) => {
    const { refresh } = await readJson(c, RefreshRequest);
    await endSession(services, refresh);
    return c.json({});
  });

  routes.put('/api/v2/signup/verify-email', async (c) => {
    const { email, referral, from } = await readJson(c, VerifyEmailRequest);
    await countCall(services, `sign-up ${peerOf(services, c)}`, SIGN_UP_PEER_RATE);
    await countCall(services, `sign-up ${peerOf(services, c)} ${emailKey(email)}`, SIGN_UP_RATE);
    await requestSignUp(services, email, referral, from);
    return c.json({});
  });

  routes.get('/api/v2/signup/:token', async (c) => {
    const { email, from } = await readActivation(services, c.req.param('token'));
    return c.json({ email, from } satisfies Activation);
  });

  routes.put('/api/v2/signup/:token', async (c) => {
    const token = c.req.param('token');
    // A dead link is told before a bad password.
    const { email } = await readActivation(services, token);
    const { password } = await readJson(c, ActivationRequest);
    await checkNewPassword(services, { email, password, location: 'body.password' });
    const userId = await activate(services, token, password);
    await rememberDevice(services, c, userId);
    return c.json((await openSession(services, { userId })) satisfies TokenPair);
  });

  routes.get('/api/v2/user', requireUser(services), async (c) => c.json(await readUser(services, c.var.user.userId)));

  routes.put('/api/v2/user', requireUser(services), async (c) =>
    c.json(await updateUser(services, c.var.user.userId, await readJson(c, UserUpdate))),
  );

  return routes;
}

import type { Context } from 'hono';
import type { AppEnv } from '../../http/env.ts';
import type { Act } from '../audit/log.ts';

/** The act of a signed-in user's call. */
export function actOf(c: Context<AppEnv>, clock: () => Date): Act {
  const { userId, email } = c.var.user;
  return { userId, email, requestId: c.var.requestId, at: clock() };
}

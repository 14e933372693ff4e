import { Hono } from 'hono';
import type { Services } from '../context.ts';
import type { AppEnv } from '../http/env.ts';

export function accountRoutes(_services: Services): Hono<AppEnv> {
  return new Hono<AppEnv>();
}

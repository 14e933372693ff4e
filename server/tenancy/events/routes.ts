import { ACCOUNT_CALLS } from '#contract/api/main.ts';
import type { Hono } from 'hono';
import type { Services } from '../../platform/context.ts';
import { memberCalls } from '../access/guard.ts';
import type { AppEnv } from '../../http/env.ts';
import { pageIdOf } from '../../http/page-id.ts';
import { EventHub } from './hub.ts';

/** The stream of changes that the signed-in person sees (CON-05). */
export function eventRoutes(services: Services): Hono<AppEnv> {
  const hub = new EventHub(services);
  services.closing.add('sockets', 'streams of events', () => hub.close());
  return memberCalls(services).respond(ACCOUNT_CALLS.followEvents, async ({ c }) => {
    const stream = await hub.open(c.var.user, { page: pageIdOf(c.req), cut: () => c.env.outgoing.destroy() });
    return c.body(stream.body, 200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // Makes nginx pass each event on at once.
      'x-accel-buffering': 'no',
    });
  });
}

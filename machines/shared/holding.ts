// Charts whose actors hold a device or a connection. When a chart throws, XState leaves its children running: the
// root has to stop them.
import type { AnyActorRef } from 'xstate';

type Scope = { system: AnyActorRef['system']; self: AnyActorRef };

const holders = new WeakMap<Scope['system'], readonly AnyActorRef[]>();

/** An entry action that registers a chart whose children hold a device or a connection. */
export function hold({ system, self }: Scope): void {
  const known = holders.get(system) ?? [];
  holders.set(system, [...known.filter((holder) => holder.getSnapshot().status === 'active'), self]);
}

/** Stops the children of all registered charts of the page, even if the chart itself has ended. */
export function stopDevicesAndConnections({ system }: Pick<Scope, 'system'>): void {
  for (const holder of holders.get(system) ?? [])
    for (const actor of Object.values<AnyActorRef>(holder.getSnapshot().children)) actor.send({ type: 'xstate.stop' });
}

// Who holds a device or a connection. XState ends a chart that throws, and nothing else: what it owned would go on behind the error screen.
import type { AnyActorRef } from 'xstate';

type Scope = { system: AnyActorRef['system']; self: AnyActorRef };

const holders = new WeakMap<Scope['system'], readonly AnyActorRef[]>();

/** An action, once, of a chart whose own actors hold such a thing. */
export function hold({ system, self }: Scope): void {
  const known = holders.get(system) ?? [];
  holders.set(system, [...known.filter((holder) => holder.getSnapshot().status === 'active'), self]);
}

/** Ends what all of them on the page own, also where the chart itself is over. */
export function letGo({ system }: Pick<Scope, 'system'>): void {
  for (const holder of holders.get(system) ?? [])
    for (const actor of Object.values<AnyActorRef>(holder.getSnapshot().children)) actor.send({ type: 'xstate.stop' });
}

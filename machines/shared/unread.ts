// What could not be read and may be read again without asking anybody, as when the network is back.
import * as v from 'valibot';
import { isMachineSnapshot, type AnyActorRef } from 'xstate';

/** Meta of a state in which something could not be read, and whose `retry.requested` only reads it again. */
export const UNREAD = { isUnread: true } as const;
const Unread = v.object({ isUnread: v.literal(true) });

/** The actors beneath an actor that stand there with something they could not read. */
export function unreadUnder(actor: AnyActorRef): AnyActorRef[] {
  const snapshot: unknown = actor.getSnapshot();
  if (!isMachineSnapshot(snapshot)) return [];
  return Object.values<AnyActorRef | undefined>(snapshot.children).flatMap((child) => {
    const shown: unknown = child?.getSnapshot();
    if (!child || !isMachineSnapshot(shown)) return [];
    const isUnread = Object.values(shown.getMeta()).some((meta) => v.is(Unread, meta));
    return [...(isUnread ? [child] : []), ...unreadUnder(child)];
  });
}

// Finds failed reads that can be repeated without asking, as when the network is back.
import * as v from 'valibot';
import { isMachineSnapshot, type AnyActorRef } from 'xstate';

/** Meta of a state after a failed read, whose `retry.requested` only reads again. */
export const UNREAD = { isUnread: true } as const;
const Unread = v.object({ isUnread: v.literal(true) });

/** The actors beneath `actor` that are in a state with {@link UNREAD}. */
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

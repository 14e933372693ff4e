import { fromCallback, type ActorRef, type EventObject, type Snapshot } from 'xstate';

export type UnsavedKind = 'live' | 'upload' | 'form' | 'secret' | 'signingSecret';

/** What would be lost, and with what: with the screen, or only with the session, as what no change of the screen touches. */
export type UnsavedWork = { kind: UnsavedKind; scope: 'screen' | 'session' };

/** The `systemId` of the leave guard. */
export const LEAVE_GUARD = 'leaveGuard';

/** Sent to a form with unsaved text: its place has gone, or is there again. `reason` is a sentence for people. */
export type PlaceEvent = { type: 'place.removed'; reason: string } | { type: 'place.back' };

/** Why the place of the open screen is gone, as the guard knows it; null while it is there. */
type KnowsPlace = { removalReason: string | null };

export type UnsavedWorkEvent =
  | { type: 'unsavedWork.added'; id: string; work: UnsavedWork }
  | { type: 'unsavedWork.removed'; id: string };

/**
 * While it runs, the leave guard knows of unsaved work; without a leave guard nobody asks. A form of a screen is sent a
 * {@link PlaceEvent} when its place goes.
 */
export const unsavedWork = fromCallback<EventObject, UnsavedWork>(({ input, self, sendBack, system }) => {
  const notifyGuard = (event: UnsavedWorkEvent) => {
    const guard = system.get(LEAVE_GUARD);
    if (guard?.getSnapshot().status === 'active') guard.send(event);
  };
  notifyGuard({ type: 'unsavedWork.added', id: self.sessionId, work: input });
  // A dialog that no change of the screen closes has nothing to do with its place.
  const isOfPlace = input.kind === 'form' && input.scope === 'screen';
  const stopHearing = isOfPlace ? hearOfPlace(system.get(LEAVE_GUARD), sendBack) : () => undefined;
  return () => {
    stopHearing();
    notifyGuard({ type: 'unsavedWork.removed', id: self.sessionId });
  };
});

type KnowingGuard = ActorRef<Snapshot<unknown> & { context: KnowsPlace }, UnsavedWorkEvent>;

/** Passes on what the guard knows of the place, and what it hears later; the answer ends that. */
function hearOfPlace(guard: KnowingGuard | undefined, sendBack: (event: PlaceEvent) => void): () => void {
  let known: string | null = null;
  const pass = (removalReason: string | null) => {
    if (removalReason === known) return;
    known = removalReason;
    sendBack(removalReason === null ? { type: 'place.back' } : { type: 'place.removed', reason: removalReason });
  };
  if (guard === undefined) return () => undefined;
  pass(guard.getSnapshot().context.removalReason);
  const subscription = guard.subscribe(({ context }) => pass(context.removalReason));
  return () => subscription.unsubscribe();
}

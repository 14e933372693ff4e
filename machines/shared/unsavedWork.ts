import { fromCallback, type ActorRef, type EventObject, type Snapshot } from 'xstate';

export type UnsavedKind = 'live' | 'upload' | 'form' | 'secret' | 'signingSecret';

/** `scope` says when the work is lost: when the screen changes, or only when the session ends. */
export type UnsavedWork = { kind: UnsavedKind; scope: 'screen' | 'session' };

/** The `systemId` of the leave guard. */
export const LEAVE_GUARD = 'leaveGuard';

/** Tells a form with unsaved text that its place is gone or back. `reason` is a sentence for people. */
export type PlaceEvent = { type: 'place.removed'; reason: string } | { type: 'place.back' };

/** The leave guard's context: why the open screen's place is gone; null while it is there. */
type LeaveGuardContext = { removalReason: string | null };

export type UnsavedWorkEvent =
  | { type: 'unsavedWork.added'; id: string; work: UnsavedWork }
  | { type: 'unsavedWork.removed'; id: string };

/**
 * Registers unsaved work with the leave guard while it runs; does nothing without a leave guard. Sends a form of a
 * screen a {@link PlaceEvent} when its place goes or comes back.
 */
export const unsavedWork = fromCallback<EventObject, UnsavedWork>(({ input, self, sendBack, system }) => {
  const notifyGuard = (event: UnsavedWorkEvent) => {
    const guard = system.get(LEAVE_GUARD);
    if (guard?.getSnapshot().status === 'active') guard.send(event);
  };
  notifyGuard({ type: 'unsavedWork.added', id: self.sessionId, work: input });
  // A dialog that stays when the screen changes does not depend on the screen's place.
  const dependsOnPlace = input.kind === 'form' && input.scope === 'screen';
  const unsubscribe = dependsOnPlace ? watchPlace(system.get(LEAVE_GUARD), sendBack) : () => undefined;
  return () => {
    unsubscribe();
    notifyGuard({ type: 'unsavedWork.removed', id: self.sessionId });
  };
});

type LeaveGuardRef = ActorRef<Snapshot<unknown> & { context: LeaveGuardContext }, UnsavedWorkEvent>;

/** Sends the guard's present and later news of the place. Returns a function that stops this. */
function watchPlace(guard: LeaveGuardRef | undefined, sendBack: (event: PlaceEvent) => void): () => void {
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

import { fromCallback, type ActorRef, type AnyActorRef, type EventObject, type Snapshot } from 'xstate';
import type { Draft } from './form/drafts.ts';
import type { PlaceEvent } from './form/types.ts';

export type UnsavedKind = 'live' | 'upload' | 'form' | 'secret' | 'signingSecret';

/**
 * `scope` says when the work is lost: when the screen changes, or only when the session ends. `draft` gives what of it
 * outlives the session; null if nothing does now.
 */
export type UnsavedWork = { kind: UnsavedKind; scope: 'screen' | 'session'; draft?: () => Draft | null };

/** The `systemId` of the leave guard. */
export const LEAVE_GUARD = 'leaveGuard';

type LeaveGuardContext = {
  unsavedWork: readonly (UnsavedWork & { id: string })[];
  /** Why the open screen's place is gone, a sentence; null while it is there. */
  removalReason: string | null;
};

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

/** Sends its parent a {@link PlaceEvent} when the place of the screen goes or comes back. */
export const placeNews = fromCallback<EventObject>(({ sendBack, system }) =>
  watchPlace(system.get(LEAVE_GUARD), sendBack),
);

type LeaveGuardRef = ActorRef<Snapshot<unknown> & { context: LeaveGuardContext }, UnsavedWorkEvent>;

/** The drafts of all registered work. */
export function draftsIn({ system }: { system: AnyActorRef['system'] }): Draft[] {
  const guard: LeaveGuardRef | undefined = system.get(LEAVE_GUARD);
  return (guard?.getSnapshot().context.unsavedWork ?? []).flatMap(({ draft }) => draft?.() ?? []);
}

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

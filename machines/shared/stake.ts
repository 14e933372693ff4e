import { fromCallback, type ActorRef, type EventObject, type Snapshot } from 'xstate';

export type StakeKind = 'live' | 'upload' | 'form' | 'secret' | 'signingSecret';

/** What would be lost, and with what: with the screen, or only with the session, as what no change of the screen touches. */
export type Stake = { kind: StakeKind; scope: 'screen' | 'session' };

/** By this the actors of a system find the guard. */
export const GUARD = 'leaving';

/** What whoever has a form at stake hears: its place has gone, or is there again. `reason` is a sentence for people. */
export type PlaceTold = { type: 'place.lost'; reason: string } | { type: 'place.back' };

/** Why the place of the open screen is gone, as the guard knows it; null while it is there. */
type KnowsPlace = { lost: string | null };

export type StakeEvent = { type: 'stake.raised'; id: string; stake: Stake } | { type: 'stake.lifted'; id: string };

/**
 * As long as it runs, something is at stake: the guard of the system knows of it. Where there is none, nobody asks. Who
 * has a form of a screen at stake is told when the place of it goes.
 */
export const stake = fromCallback<EventObject, Stake>(({ input, self, sendBack, system }) => {
  const tell = (event: StakeEvent) => {
    const guard = system.get(GUARD);
    if (guard?.getSnapshot().status === 'active') guard.send(event);
  };
  tell({ type: 'stake.raised', id: self.sessionId, stake: input });
  // A dialog that no change of the screen closes has nothing to do with its place.
  const isOfPlace = input.kind === 'form' && input.scope === 'screen';
  const stopHearing = isOfPlace ? hearOfPlace(system.get(GUARD), sendBack) : () => undefined;
  return () => {
    stopHearing();
    tell({ type: 'stake.lifted', id: self.sessionId });
  };
});

type KnowingGuard = ActorRef<Snapshot<unknown> & { context: KnowsPlace }, StakeEvent>;

/** Passes on what the guard knows of the place, and what it hears later; the answer ends that. */
function hearOfPlace(guard: KnowingGuard | undefined, sendBack: (event: PlaceTold) => void): () => void {
  let known: string | null = null;
  const pass = (lost: string | null) => {
    if (lost === known) return;
    known = lost;
    sendBack(lost === null ? { type: 'place.back' } : { type: 'place.lost', reason: lost });
  };
  if (guard === undefined) return () => undefined;
  pass(guard.getSnapshot().context.lost);
  const subscription = guard.subscribe(({ context }) => pass(context.lost));
  return () => subscription.unsubscribe();
}

import { fromCallback, type EventObject } from 'xstate';

export type StakeKind = 'live' | 'upload' | 'form' | 'secret';

/** What would be lost, and with what: with the screen, or only with the session, as what no change of the screen touches. */
export type Stake = { kind: StakeKind; scope: 'screen' | 'session' };

/** By this the actors of a system find the guard. */
export const GUARD = 'leaving';

export type StakeEvent = { type: 'stake.raised'; id: string; stake: Stake } | { type: 'stake.lifted'; id: string };

/** As long as it runs, something is at stake: the guard of the system knows of it. Where there is none, nobody asks. */
export const stake = fromCallback<EventObject, Stake>(({ input, self, system }) => {
  const tell = (event: StakeEvent) => {
    const guard = system.get(GUARD);
    if (guard?.getSnapshot().status === 'active') guard.send(event);
  };
  tell({ type: 'stake.raised', id: self.sessionId, stake: input });
  return () => tell({ type: 'stake.lifted', id: self.sessionId });
});

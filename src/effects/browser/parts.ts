import { fromCallback, fromPromise, type EventObject } from 'xstate';
import type { PartsState, PartsEvent } from '#machines/root/parts/actors.ts';
import type { createLateCode } from '../../behaviours/late.ts';

/** The actors of `parts`. */
export const createPartsActors = ({ listen, fetchMissing }: ReturnType<typeof createLateCode>) => ({
  watchParts: fromCallback<EventObject, void>(({ sendBack }) => {
    const report = (event: PartsEvent) => sendBack(event);
    const back = () => report({ type: 'network.back' });
    window.addEventListener('online', back);
    const unlisten = listen(() => report({ type: 'part.missed' }));
    return () => {
      window.removeEventListener('online', back);
      unlisten();
    };
  }),
  fetchParts: fromPromise<PartsState, void>(fetchMissing),
});

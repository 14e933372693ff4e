import { fromCallback, type EventObject } from 'xstate';
import type { NetworkEvent } from '#machines/workspace/connection/actors.ts';

type Port = {
  window: Pick<Window, 'addEventListener' | 'removeEventListener'>;
  navigator: Pick<Navigator, 'onLine'>;
};

/** The `network` actor. A browser may call itself online without reaching anything; offline it is for certain. */
export const createNetwork = ({ window: page, navigator: browser }: Port = { window, navigator }) =>
  fromCallback<EventObject, void>(({ sendBack }) => {
    const report = (event: NetworkEvent) => sendBack(event);
    const lost = () => report({ type: 'network.lost' });
    const back = () => report({ type: 'network.back' });
    page.addEventListener('offline', lost);
    page.addEventListener('online', back);
    if (!browser.onLine) lost();
    return () => {
      page.removeEventListener('offline', lost);
      page.removeEventListener('online', back);
    };
  });

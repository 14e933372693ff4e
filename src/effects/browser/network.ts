import { fromCallback, type EventObject } from 'xstate';
import type { NetworkEvent } from '#machines/workspace/connection/actors.ts';

type Port = {
  window: Pick<Window, 'addEventListener' | 'removeEventListener'>;
  navigator: Pick<Navigator, 'onLine'>;
};

/** The `network` actor. A browser that says offline is offline; one that says online may still reach nothing. */
export const createNetwork = ({ window: page, navigator: browser }: Port = { window, navigator }) =>
  fromCallback<EventObject, void>(({ sendBack }) => {
    const report = (event: NetworkEvent) => sendBack(event);
    const offline = () => report({ type: 'network.offline' });
    const back = () => report({ type: 'network.back' });
    page.addEventListener('offline', offline);
    page.addEventListener('online', back);
    if (!browser.onLine) offline();
    return () => {
      page.removeEventListener('offline', offline);
      page.removeEventListener('online', back);
    };
  });

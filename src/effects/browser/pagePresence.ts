import { fromCallback, type EventObject } from 'xstate';
import type { PageEvent } from '#machines/workspace/events/actors.ts';
import type { Signal } from './signal.ts';

type Port = {
  window: Pick<Window, 'addEventListener' | 'removeEventListener'>;
  document: Pick<Document, 'addEventListener' | 'removeEventListener' | 'visibilityState'>;
  navigator: Pick<Navigator, 'onLine'>;
};

/** The `pagePresence` actor. A hidden page is absent: a browser has only six connections for all tabs of a site. */
export const createPagePresence = (missed: Signal, port: Port = { window, document, navigator }) =>
  fromCallback<EventObject, void>(({ sendBack }) => {
    const report = (event: PageEvent) => sendBack(event);
    let isPresent = false;
    const look = () => {
      const was = isPresent;
      isPresent = port.document.visibilityState === 'visible' && port.navigator.onLine;
      if (was !== isPresent) report({ type: isPresent ? 'page.present' : 'page.absent' });
    };
    const focus = () => report({ type: 'page.focused' });
    port.document.addEventListener('visibilitychange', look);
    port.window.addEventListener('online', look);
    port.window.addEventListener('offline', look);
    port.window.addEventListener('focus', focus);
    const stopListening = missed.listen(() => report({ type: 'place.missed' }));
    look();
    return () => {
      stopListening();
      port.document.removeEventListener('visibilitychange', look);
      port.window.removeEventListener('online', look);
      port.window.removeEventListener('offline', look);
      port.window.removeEventListener('focus', focus);
    };
  });

import { type EventObject, fromCallback } from 'xstate';

type Port = Pick<Window, 'addEventListener' | 'removeEventListener'>;

/**
 * The `leaveGuard` actor: the browser asks before the page goes, in its own words. It listens only while it runs, since a
 * page that listens all the time cannot be kept for Back; and browsers ask nobody who has not touched the page yet.
 */
export const createLeaveGuard = (port: Port = window) =>
  fromCallback<EventObject, void>(() => {
    const ask = (event: Event) => event.preventDefault();
    port.addEventListener('beforeunload', ask);
    return () => port.removeEventListener('beforeunload', ask);
  });

import { type EventObject, fromCallback } from 'xstate';

/** Holds every way to another address, closing the page too, until its result is called; `onTry` hears of each try within the console. */
export type HoldNavigation = (onTry: () => void) => () => void;

/** The `stayGuard` actor. */
export const createStayGuard = (hold: HoldNavigation) => fromCallback<EventObject, void>(({ sendBack }) => hold(() => sendBack({ type: 'dismiss.requested' })));

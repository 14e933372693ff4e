import { enqueueActions, type AnyActorRef } from 'xstate';
import type { ToastRequested } from '../root/toasts/machine.ts';
import type { Navigate } from './route.ts';

type System = AnyActorRef['system'];

/** Asks for another address. */
export type NavigateRequested = { type: 'navigate.requested' } & Omit<Navigate, 'type'>;

/** Ends the session, unasked; what would be lost has been asked about. */
export type SignOutRequested = { type: 'signOut.requested' };

/** The person's account is no more, and their session with it. */
export type AccountDeleted = { type: 'account.deleted' };

/** Has the page loaded anew; what would be lost with it has been asked about. */
export type ReloadConfirmed = { type: 'reload.confirmed' };

/** What any chart may send, wherever it is itself, to an actor that lives as long as the page. */
export type AppEvent = ToastRequested | NavigateRequested | SignOutRequested | AccountDeleted | ReloadConfirmed;

/** Which actor that lives as long as the page hears which event, by the name (`systemId`) that the root gives it. */
export const APP_SERVICE_OF = {
  'toast.requested': 'toasts',
  'navigate.requested': 'navigation',
  'reload.confirmed': 'navigation',
  'signOut.requested': 'session',
  'account.deleted': 'session',
} as const satisfies Record<AppEvent['type'], string>;

export type AppService = (typeof APP_SERVICE_OF)[AppEvent['type']];

/**
 * Undefined only for a chart that runs alone, in a system without any app service. Throws where others are there and
 * this one is not: then something is wrong with the page, and the event must not get lost.
 */
function appServiceIn(system: System, name: AppService): AnyActorRef | undefined {
  const found: AnyActorRef | undefined = system.get(name);
  if (found === undefined && Object.values(APP_SERVICE_OF).some((other) => system.get(other) !== undefined))
    throw new Error(`The page has no '${name}'.`);
  return found;
}

/** The shape that `setup` infers an action's parameters from. */
type SendToApp<Event> = (scope: unknown, event: Event) => void;

/** An action that sends an event to the app service that it is for. `Event` is what the chart may send. */
export function sendToApp<Event extends AppEvent>(): SendToApp<Event> {
  const action = enqueueActions(({ enqueue, system }, event: Event) => {
    const service = appServiceIn(system, APP_SERVICE_OF[event.type]);
    if (service) enqueue.sendTo(service, event);
  });
  // Built-in actions carry the chart's whole type, which is not known here; `setup` needs the parameters only.
  return action as unknown as SendToApp<Event>;
}

/** The same from outside of charts. `actor` is any of the page. */
export function sendToAppFrom(actor: { system: System }, event: AppEvent): void {
  appServiceIn(actor.system, APP_SERVICE_OF[event.type])?.send(event);
}

import { enqueueActions, type AnyActorRef } from 'xstate';
import type { Navigate } from './route.ts';

type System = AnyActorRef['system'];

/** Says something to the person. A `notice` reports something that happened elsewhere. */
export type ToastRequested = { type: 'toast.requested'; kind: 'success' | 'error' | 'notice'; text: string };

/** Asks for another address. */
export type NavigateRequested = { type: 'navigate.requested' } & Omit<Navigate, 'type'>;

/** Ends the session. The sender has already asked about unsaved work. */
export type SignOutRequested = { type: 'signOut.requested' };

/** The person's account was deleted, and with it their session. */
export type AccountDeleted = { type: 'account.deleted' };

/** Reloads the page. The sender has already asked about unsaved work. */
export type ReloadConfirmed = { type: 'reload.confirmed' };

/** Unfolds the playground's side panel in wide windows. */
export type PanelUnfoldRequested = { type: 'panel.unfold.requested' };

/** Events that any chart may send to an app service: an actor that lives as long as the page. */
export type AppEvent =
  | ToastRequested
  | NavigateRequested
  | SignOutRequested
  | AccountDeleted
  | ReloadConfirmed
  | PanelUnfoldRequested;

/** The app service that receives each event, by the `systemId` that the root gives it. */
export const APP_SERVICE_OF = {
  'toast.requested': 'toasts',
  'navigate.requested': 'navigation',
  'reload.confirmed': 'navigation',
  'signOut.requested': 'session',
  'account.deleted': 'session',
  'panel.unfold.requested': 'preferences',
} as const satisfies Record<AppEvent['type'], string>;

export type AppService = (typeof APP_SERVICE_OF)[AppEvent['type']];

/**
 * The app service `name`. Undefined for a chart that runs alone, in a system without app services. Throws if the system
 * has other app services but not this one, because the event would be lost.
 */
function appServiceIn(system: System, name: AppService): AnyActorRef | undefined {
  const found: AnyActorRef | undefined = system.get(name);
  if (found === undefined && Object.values(APP_SERVICE_OF).some((other) => system.get(other) !== undefined))
    throw new Error(`The page has no '${name}'.`);
  return found;
}

/** The shape that `setup` infers an action's parameters from. */
type SendToApp<Event> = (scope: unknown, event: Event) => void;

/** An action that sends an event to its app service. `Event` is what the chart may send. */
export function sendToApp<Event extends AppEvent>(): SendToApp<Event> {
  const action = enqueueActions(({ enqueue, system }, event: Event) => {
    const service = appServiceIn(system, APP_SERVICE_OF[event.type]);
    if (service) enqueue.sendTo(service, event);
  });
  // Built-in actions carry the chart's whole type, which is not known here; `setup` needs the parameters only.
  return action as unknown as SendToApp<Event>;
}

/** Sends an event to its app service from outside of charts. `actor` is any actor of the page. */
export function sendToAppFrom(actor: { system: System }, event: AppEvent): void {
  appServiceIn(actor.system, APP_SERVICE_OF[event.type])?.send(event);
}

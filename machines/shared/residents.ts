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

/** What any chart may say to an actor that lives as long as the page, wherever it is itself. */
export type Announcement = ToastRequested | NavigateRequested | SignOutRequested | AccountDeleted | ReloadConfirmed;

/** The actors that the root keeps under these names (`systemId`), by what is said to them. */
export const RESIDENT_OF = {
  'toast.requested': 'toasts',
  'navigate.requested': 'navigation',
  'reload.confirmed': 'navigation',
  'signOut.requested': 'session',
  'account.deleted': 'session',
} as const satisfies Record<Announcement['type'], string>;

export type Resident = (typeof RESIDENT_OF)[Announcement['type']];

/**
 * Undefined only for a chart that runs alone, in a system without any resident. Throws where others are there and this
 * one is not: then something is wrong with the page, and what was said must not get lost.
 */
function residentIn(system: System, name: Resident): AnyActorRef | undefined {
  const found: AnyActorRef | undefined = system.get(name);
  if (found === undefined && Object.values(RESIDENT_OF).some((other) => system.get(other) !== undefined))
    throw new Error(`The page has no '${name}'.`);
  return found;
}

/** The shape that `setup` infers an action's parameters from. */
type Announcing<Said> = (scope: unknown, said: Said) => void;

/** An action that says something to the resident that it is for. `Said` is what the chart may say. */
export function announce<Said extends Announcement>(): Announcing<Said> {
  const action = enqueueActions(({ enqueue, system }, said: Said) => {
    const resident = residentIn(system, RESIDENT_OF[said.type]);
    if (resident) enqueue.sendTo(resident, said);
  });
  // Built-in actions carry the chart's whole type, which is not known here; `setup` needs the parameters only.
  return action as unknown as Announcing<Said>;
}

/** The same from outside of charts. `actor` is any of the page. */
export function announceFrom(actor: { system: System }, said: Announcement): void {
  residentIn(actor.system, RESIDENT_OF[said.type])?.send(said);
}

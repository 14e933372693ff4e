import { fromCallback } from 'xstate';
import type { Guard, HoldCommand } from '#machines/workspace/leaving/actors.ts';
import type { Route } from '#machines/shared/route.ts';

/** A way to another address of the console that is tried: where from, where to, and how to try it again unasked. */
export type Attempt = { from: Route; to: Route; repeat: () => void };

/** Asks about every way to another address of the console, and has the browser ask about closing the page, until its result is called. */
export type HoldNavigation = (isHeld: (attempt: Attempt) => boolean) => () => void;

/** The `hold` actor. The address never changes before the person has answered: what is tried is refused, and tried again after Leave. */
export const createHold = (hold: HoldNavigation) =>
  fromCallback<HoldCommand, { guard: Guard }>(({ input: { guard }, receive }) => {
    let held: Attempt | undefined;
    const release = hold((attempt) => {
      const { from, to } = attempt;
      if (!guard.getSnapshot().can({ type: 'departure.tried', from, to })) return false;
      held = attempt;
      guard.send({ type: 'departure.tried', from, to });
      return true;
    });
    receive(() => {
      held?.repeat();
      held = undefined;
    });
    return release;
  });

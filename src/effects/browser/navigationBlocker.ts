import { fromCallback } from 'xstate';
import type { Guard, BlockerCommand } from '#machines/workspace/leaveGuard/actors.ts';
import type { Route } from '#machines/shared/route.ts';

/** A way to another address of the console that is tried: where from, where to, and how to try it again unasked. */
export type Attempt = { from: Route; to: Route; repeat: () => void };

/** Asks about every way to another address of the console, and has the browser ask about closing the page, until its result is called. */
export type BlockNavigation = (isBlocked: (attempt: Attempt) => boolean) => () => void;

/** The `navigationBlocker` actor. The address never changes before the person has answered: what is tried is refused, and tried again after Leave. */
export const createNavigationBlocker = (block: BlockNavigation) =>
  fromCallback<BlockerCommand, { guard: Guard }>(({ input: { guard }, receive }) => {
    let blocked: Attempt | undefined;
    const release = block((attempt) => {
      const { from, to } = attempt;
      if (!guard.getSnapshot().can({ type: 'departure.tried', from, to })) return false;
      blocked = attempt;
      guard.send({ type: 'departure.tried', from, to });
      return true;
    });
    receive(() => {
      blocked?.repeat();
      blocked = undefined;
    });
    return release;
  });

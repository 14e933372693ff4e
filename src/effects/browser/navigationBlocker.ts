import { fromCallback } from 'xstate';
import type { Guard, BlockerCommand } from '#machines/workspace/leaveGuard/actors.ts';
import type { Route } from '#machines/shared/route.ts';

/** An attempted navigation in the console. `repeat` tries it again without asking. */
export type Attempt = { from: Route; to: Route; repeat: () => void };

/** Asks before every navigation in the console, and has the browser ask before the page closes; returns the undo. */
export type BlockNavigation = (isBlocked: (attempt: Attempt) => boolean) => () => void;

/** The `navigationBlocker` actor. Blocks an attempt until the user answers, and repeats it after Leave. */
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

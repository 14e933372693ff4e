// State of a playground that the workspace keeps, in memory, and restores for the same project (CON-02).
import type { SnapshotFrom } from 'xstate';
import { savedOf as savedLiveOf } from './live/saved.ts';
import type { playgroundMachine } from './machine.ts';
import type { SavedPlayground } from './types.ts';

/** The state to keep when the playground closes; null if it was not ready. */
export function savedOf(playground: SnapshotFrom<typeof playgroundMachine>): SavedPlayground | null {
  if (!playground.matches('ready')) return null;
  const { context, children } = playground;
  const live = children.live?.getSnapshot();
  return {
    live: live ? savedLiveOf(live) : null,
    async: { settings: context.settings, modelId: context.asyncModelId },
  };
}

// What of a playground outlives its screen: it comes back with the same project (CON-02). In memory only.
import type { SnapshotFrom } from 'xstate';
import { savedOf as savedLiveOf } from './live/saved.ts';
import type { playgroundMachine } from './machine.ts';
import type { SavedPlayground } from './types.ts';

/** What is there when the playground goes; null while it has nothing to show yet. */
export function savedOf(playground: SnapshotFrom<typeof playgroundMachine>): SavedPlayground | null {
  if (!playground.matches('ready')) return null;
  const { context, children } = playground;
  const live = children.live?.getSnapshot();
  return {
    live: live ? savedLiveOf(live) : null,
    async: { settings: context.settings, modelId: context.asyncModelId },
  };
}

// What of a playground outlives its screen: it comes back with the same project (CON-02). In memory only.
import type { SnapshotFrom } from 'xstate';
import { keptOf as liveKeptOf } from './live/kept.ts';
import type { playgroundMachine } from './machine.ts';
import type { PlaygroundKept } from './types.ts';

/** What is there when the playground goes; null while it has nothing to show yet. */
export function keptOf(playground: SnapshotFrom<typeof playgroundMachine>): PlaygroundKept | null {
  if (!playground.matches('ready')) return null;
  const { context, children } = playground;
  const live = children.live?.getSnapshot();
  return { live: live ? liveKeptOf(live) : null, async: { settings: context.settings, modelId: context.asyncModelId } };
}

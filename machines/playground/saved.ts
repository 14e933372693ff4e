// State of a playground that the workspace keeps, in memory, and restores for the same project (CON-02).
import type { SnapshotFrom } from 'xstate';
import { savedOf as savedLiveOf } from './live/saved.ts';
import type { playgroundMachine } from './machine.ts';
import type { SavedPlayground } from './types.ts';

/** The state to keep when the playground closes; null if it was not ready. */
export function savedOf({ children, context }: SnapshotFrom<typeof playgroundMachine>): SavedPlayground | null {
  const { async, live } = children;
  if (!async || !live) return null;
  const { settings, modelId } = async.getSnapshot().context;
  return { live: savedLiveOf(live.getSnapshot()), async: { settings, modelId }, openedLog: context.openedLog };
}

import { isMachineSnapshot, type AnyActorRef, type SnapshotFrom } from 'xstate';
import type { playgroundMachine } from '../playground/machine.ts';
import { savedOf } from '../playground/saved.ts';
import type { WorkspaceContext } from './context.ts';

/** The state to keep of the open playground; undefined if none is open or ready. */
export function lastPlayground(workspace: AnyActorRef): WorkspaceContext['savedPlayground'] | undefined {
  const whole: unknown = workspace.getSnapshot();
  const playground = isMachineSnapshot(whole) ? whole.children['playground'] : undefined;
  const snapshot: unknown = playground?.getSnapshot();
  if (!isMachineSnapshot(snapshot)) return undefined;
  const known = snapshot as SnapshotFrom<typeof playgroundMachine>;
  const saved = savedOf(known);
  return saved ? { projectUuid: known.context.projectUuid, ...saved } : undefined;
}

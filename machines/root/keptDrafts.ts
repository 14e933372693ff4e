// Collects the drafts of open forms when a session ends.
import * as v from 'valibot';
import { isMachineSnapshot, type AnyActorRef } from 'xstate';
import type { KeptDrafts } from '../shared/form/drafts.ts';
import { draftsIn } from '../shared/unsavedWork.ts';

const WorkspaceWithUser = v.object({
  context: v.object({ user: v.object({ uuid: v.pipe(v.string(), v.nonEmpty()) }) }),
});

/** The drafts in the root's workspace; null if it does not know its user yet. */
export function draftsToKeep(root: AnyActorRef): KeptDrafts | null {
  const snapshot: unknown = root.getSnapshot();
  const workspace = isMachineSnapshot(snapshot) ? snapshot.children['workspace'] : undefined;
  const known = v.safeParse(WorkspaceWithUser, workspace?.getSnapshot());
  return known.success ? { userUuid: known.output.context.user.uuid, drafts: draftsIn(root) } : null;
}

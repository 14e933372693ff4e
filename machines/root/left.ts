// What a person leaves behind in the open forms when their session ends.
import * as v from 'valibot';
import { isMachineSnapshot, type AnyActorRef } from 'xstate';
import { draftsUnder, type LeftDrafts } from '../shared/form/drafts.ts';

const Known = v.object({ context: v.object({ user: v.object({ uuid: v.pipe(v.string(), v.nonEmpty()) }) }) });

/** Of the workspace beneath the root; null where it does not know yet whose it is. */
export function leftBehind(root: AnyActorRef): LeftDrafts | null {
  const snapshot: unknown = root.getSnapshot();
  const workspace = isMachineSnapshot(snapshot) ? snapshot.children['workspace'] : undefined;
  const known = v.safeParse(Known, workspace?.getSnapshot());
  return workspace && known.success
    ? { userUuid: known.output.context.user.uuid, drafts: draftsUnder(workspace) }
    : null;
}

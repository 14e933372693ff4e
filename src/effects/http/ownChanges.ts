import * as v from 'valibot';
import { removeMember, updateMember } from '#contract/api/members.ts';
import { deleteOrganization, updateOrganization } from '#contract/api/organizations.ts';
import { deleteProject, removeProjectMember, updateProject } from '#contract/api/projects.ts';
import { CallError } from '#machines/shared/failure.ts';
import type { OwnChange } from '#machines/workspace/actors.ts';
import type { Caller } from './caller.ts';
import type { AnyCall } from './rows.ts';

/**
 * The calls that change or remove a place or one of its people. The server pushes these changes to all who see the
 * place.
 */
const HOW = new Map<AnyCall['row'], OwnChange['how']>([
  [updateOrganization, 'changed'],
  [deleteOrganization, 'removed'],
  [updateProject, 'changed'],
  [deleteProject, 'removed'],
  [updateMember, 'changed'],
  [removeMember, 'removed'],
  [removeProjectMember, 'removed'],
]);
/** The body of a call that names one of a project's people. */
const PersonInBody = v.object({ user_uuid: v.string() });

/** The change that a call makes; undefined if the server pushes none for it. */
function changeBy({ row, params = {}, json }: AnyCall): OwnChange | undefined {
  const how = HOW.get(row);
  const uuid = params['organization'] ?? params['project'];
  if (how === undefined || uuid === undefined) return undefined;
  return { uuid, how, userUuid: params['user'] ?? (v.is(PersonInBody, json) ? json.user_uuid : null) };
}

export type OwnChanges = ReturnType<typeof createOwnChanges>;

/**
 * Knows which changes this page makes to organizations, projects and their people. The server's push of such a change
 * may come before the call's answer, and must not be reported as if somebody else had made it.
 */
export function createOwnChanges() {
  const changes = new Set<{ change: OwnChange; isOver: boolean }>();
  return {
    /** Makes a caller that notes the changes that its calls make. */
    watch:
      (call: Caller): Caller =>
      async (row, args) => {
        const change = changeBy({ row, ...args });
        if (change === undefined) return call(row, args);
        const noted = { change, isOver: false };
        changes.add(noted);
        try {
          return await call(row, args);
        } catch (error) {
          // A refused call has changed nothing. Without an answer, the call may have changed something.
          if (error instanceof CallError && error.failure.kind === 'HTTP') changes.delete(noted);
          throw error;
        } finally {
          noted.isOver = true;
        }
      },
    /** Reads something; also returns the changes made here since the last read that succeeded, or being made. */
    during: async <T>(read: () => Promise<T>): Promise<{ answer: T; own: OwnChange[] }> => {
      // A call that is over before the read begins has its change in the answer. Another may have to be returned once
      // more.
      const over = [...changes].filter(({ isOver }) => isOver);
      const answer = await read();
      const own = [...changes].map(({ change }) => change);
      for (const each of over) changes.delete(each);
      return { answer, own };
    },
  };
}

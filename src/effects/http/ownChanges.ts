import * as v from 'valibot';
import { removeMember, updateMember } from '#contract/api/members.ts';
import { deleteOrganization, updateOrganization } from '#contract/api/organizations.ts';
import { deleteProject, removeProjectMember, updateProject } from '#contract/api/projects.ts';
import { CallError } from '#machines/shared/failure.ts';
import type { OwnChange } from '#machines/workspace/actors.ts';
import type { Caller } from './caller.ts';
import type { AnyCall } from './rows.ts';

/** The calls that change or remove a place or one of its people. The server pushes these changes to all who see the place. */
const HOW = new Map<AnyCall['row'], OwnChange['how']>([
  [updateOrganization, 'changed'],
  [deleteOrganization, 'removed'],
  [updateProject, 'changed'],
  [deleteProject, 'removed'],
  [updateMember, 'changed'],
  [removeMember, 'removed'],
  [removeProjectMember, 'removed'],
]);
/** The people of a project are named in the body. */
const Named = v.object({ user_uuid: v.string() });

/** The change that a call makes; undefined if it makes none that is pushed. */
function changeBy({ row, params = {}, json }: AnyCall): OwnChange | undefined {
  const how = HOW.get(row);
  const uuid = params['organization'] ?? params['project'];
  if (how === undefined || uuid === undefined) return undefined;
  return { uuid, how, userUuid: params['user'] ?? (v.is(Named, json) ? json.user_uuid : null) };
}

export type OwnChanges = ReturnType<typeof createOwnChanges>;

/**
 * Knows what this page does itself to organizations, projects and their people, so that it is not told of its own doing as if
 * somebody else had done it: the push may come before the call's answer.
 */
export function createOwnChanges() {
  const changes = new Set<{ change: OwnChange; isOver: boolean }>();
  return {
    /** The caller, watched. */
    watch:
      (call: Caller): Caller =>
      async (row, asked) => {
        const change = changeBy({ row, ...asked });
        if (change === undefined) return call(row, asked);
        const noted = { change, isOver: false };
        changes.add(noted);
        try {
          return await call(row, asked);
        } catch (error) {
          // Refused, it changed nothing; without an answer nobody knows.
          if (error instanceof CallError && error.failure.kind === 'HTTP') changes.delete(noted);
          throw error;
        } finally {
          noted.isOver = true;
        }
      },
    /** Reads something, and tells what was changed here since the last reading that succeeded, or is being changed. */
    during: async <T>(read: () => Promise<T>): Promise<{ answer: T; own: OwnChange[] }> => {
      // What is over before the reading begins is in what it reads; what is not may have to be told once more.
      const over = [...changes].filter(({ isOver }) => isOver);
      const answer = await read();
      const own = [...changes].map(({ change }) => change);
      for (const each of over) changes.delete(each);
      return { answer, own };
    },
  };
}

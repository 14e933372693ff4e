import * as v from 'valibot';
import { CallError } from '#machines/shared/failure.ts';
import type { OwnChange } from '#machines/workspace/actors.ts';
import type { Caller } from './caller.ts';

/** Organizations and projects, their people, and one of these. */
const CHANGED = /^(?:organizations|projects)\/([^/]+)\/(?:(users)\/(?:([^/]+)\/)?)?$/;
const HOW = { put: 'changed', delete: 'removed' } as const;
/** The people of a project are named in the body. */
const Named = v.object({ user_uuid: v.string() });

/** What a call does that could be news elsewhere; undefined where it is nothing of the kind. */
function changeBy(method: keyof typeof HOW, path: string, json: unknown): OwnChange | undefined {
  const [, uuid, people, userUuid] = CHANGED.exec(path) ?? [];
  if (uuid === undefined) return undefined;
  if (people === undefined) return { uuid, how: HOW[method], userUuid: null };
  const named = userUuid ?? (v.is(Named, json) ? json.user_uuid : undefined);
  return named === undefined ? undefined : { uuid, how: HOW[method], userUuid: named };
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
      async (method, path, options) => {
        const change = method === 'put' || method === 'delete' ? changeBy(method, path, options.json) : undefined;
        if (change === undefined) return call(method, path, options);
        const noted = { change, isOver: false };
        changes.add(noted);
        try {
          return await call(method, path, options);
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

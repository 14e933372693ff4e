import type { Caller } from './caller.ts';

/** Organizations and projects whose own data, or whose people, a call changes. */
const CHANGED = /^(?:organizations|projects)\/([^/]+)\/(?:users\/(?:[^/]+\/)?)?$/;

export type OwnChanges = ReturnType<typeof createOwnChanges>;

/**
 * Knows which organizations and projects this page changes itself, so that it is not told of its own doing as if somebody
 * else had done it: the push may come before the call's answer.
 */
export function createOwnChanges() {
  const changes = new Set<{ uuid: string; isOver: boolean }>();
  return {
    /** The caller, watched. */
    watch: (call: Caller): Caller => async (method, path, options) => {
      const uuid = method === 'get' ? undefined : CHANGED.exec(path)?.[1];
      if (uuid === undefined) return call(method, path, options);
      const change = { uuid, isOver: false };
      changes.add(change);
      try {
        return await call(method, path, options);
      } finally {
        change.isOver = true;
      }
    },
    /** Reads something, and tells what was changed here since the last reading that succeeded, or is being changed. */
    during: async <T>(read: () => Promise<T>): Promise<{ answer: T; own: string[] }> => {
      // What is over before the reading begins is in what it reads; what is not may have to be told once more.
      const over = [...changes].filter(({ isOver }) => isOver);
      const answer = await read();
      const own = [...new Set([...changes].map(({ uuid }) => uuid))];
      for (const change of over) changes.delete(change);
      return { answer, own };
    },
  };
}

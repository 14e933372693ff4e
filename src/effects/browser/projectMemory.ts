import { fromCallback } from 'xstate';
import type { ProjectSelected } from '#machines/workspace/actors.ts';
import type { TextStorage } from './webStorage.ts';

export type ProjectMemory = ReturnType<typeof createProjectMemory>;

/** Remembers the last used project of each organization (SEL-02). */
export function createProjectMemory(storage: TextStorage, product: string) {
  const keyOf = (orgUuid: string) => `${product}_project_${orgUuid}`;
  return {
    /** The remembered project UUIDs by organization UUID. */
    recall: (orgUuids: readonly string[]): Record<string, string> =>
      Object.fromEntries(
        orgUuids.flatMap((orgUuid) => {
          const projectUuid = storage.read(keyOf(orgUuid));
          return projectUuid === null ? [] : [[orgUuid, projectUuid]];
        }),
      ),
    actor: fromCallback<ProjectSelected, void>(({ receive }) => {
      receive(({ orgUuid, projectUuid }) => storage.write(keyOf(orgUuid), projectUuid));
    }),
  };
}

import type { TextStorage } from './webStorage.ts';

/** The project that was last used in each organization, under a key per organization (SEL-02). */
export function createProjectMemory(storage: TextStorage, product: string) {
  const keyOf = (orgUuid: string) => `${product}_project_${orgUuid}`;
  return {
    recall: (orgUuid: string): string | undefined => storage.read(keyOf(orgUuid)) ?? undefined,
    remember: (orgUuid: string, projectUuid: string) => storage.write(keyOf(orgUuid), projectUuid),
  };
}

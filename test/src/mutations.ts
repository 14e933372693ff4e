import { vi } from 'vitest';

/** Stands in for the browser's MutationObserver: the test tells the one that is made of changes. */
export function stubMutations<Change = unknown>() {
  const mutations = {
    tell: (_changes: readonly Change[]): void => undefined,
    observe: vi.fn<(target: unknown, options: MutationObserverInit) => void>(),
    disconnect: vi.fn(),
  };
  vi.stubGlobal(
    'MutationObserver',
    class {
      observe = mutations.observe;
      disconnect = mutations.disconnect;
      constructor(listener: (changes: readonly Change[]) => void) {
        mutations.tell = listener;
      }
    },
  );
  return mutations;
}

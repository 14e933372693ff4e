/** Texts stored by key. */
export type TextStorage = {
  read: (key: string) => string | null;
  write: (key: string, value: string) => void;
  remove: (key: string) => void;
};

/**
 * A browser storage that never throws. If it is denied or full, it keeps values until the page closes.
 */
export function createWebStorage(open: () => Storage): TextStorage {
  const memory = new Map<string, string>();
  const attempt = <T>(action: (storage: Storage) => T): T | undefined => {
    try {
      return action(open());
    } catch {
      return undefined;
    }
  };
  return {
    read: (key) => memory.get(key) ?? attempt((storage) => storage.getItem(key)) ?? null,
    write: (key, value) => {
      const isKept = attempt((storage) => {
        storage.setItem(key, value);
        return true;
      });
      if (isKept) memory.delete(key);
      else memory.set(key, value);
    },
    remove: (key) => {
      memory.delete(key);
      attempt((storage) => storage.removeItem(key));
    },
  };
}

/** Reads JSON through `accept`. Removes a text that is not JSON, or for which `accept` returns undefined. */
export function readJson<T>(
  storage: TextStorage,
  key: string,
  accept: (value: unknown) => T | undefined,
): T | undefined {
  const text = storage.read(key);
  if (text === null) return undefined;
  let value: T | undefined;
  try {
    value = accept(JSON.parse(text));
  } catch {
    value = undefined;
  }
  if (value === undefined) storage.remove(key);
  return value;
}

/** Calls back when another tab has written or removed the key, or emptied the storage; returns the undo. */
export function onStorageChange(
  page: Pick<Window, 'addEventListener' | 'removeEventListener'>,
  key: string,
  changed: () => void,
): () => void {
  const listener = (event: StorageEvent) => {
    if (event.key === key || event.key === null) changed();
  };
  page.addEventListener('storage', listener);
  return () => page.removeEventListener('storage', listener);
}

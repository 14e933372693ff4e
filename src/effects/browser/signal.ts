/** Notifies the present listeners of something outside of the charts. */
export type Signal = { notify: () => void; listen: (listener: () => void) => () => void };

export function createSignal(): Signal {
  const listeners = new Set<() => void>();
  return {
    notify: () => listeners.forEach((listener) => listener()),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

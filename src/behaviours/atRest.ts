/** Longest wait for a pause, milliseconds. */
const PATIENCE_MS = 1000;

/** Resolves when the page is idle, or after a second: for work that would delay the first screen. */
export const atRest = (): Promise<void> =>
  new Promise((resolve) => {
    // Safari does not have it.
    if ('requestIdleCallback' in window) window.requestIdleCallback(() => resolve(), { timeout: PATIENCE_MS });
    else setTimeout(resolve);
  });

/** After so long without a pause, milliseconds, the page counts as at rest all the same. */
const PATIENCE_MS = 1000;

/** Resolves when the page has nothing to do at the moment, soon at the latest: for what would hold up the first screen. */
export const atRest = (): Promise<void> =>
  new Promise((resolve) => {
    // Safari cannot tell.
    if ('requestIdleCallback' in window) window.requestIdleCallback(() => resolve(), { timeout: PATIENCE_MS });
    else setTimeout(resolve);
  });

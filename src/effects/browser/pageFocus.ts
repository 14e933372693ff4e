/** What the router tells; `fromLocation` is missing on the first load. */
type Moved = { fromLocation?: unknown; pathChanged: boolean };
type Moves = { subscribe: (event: 'onRendered', listener: (moved: Moved) => void) => () => void };

/**
 * After a navigation the new page's heading takes the focus, so that keyboards and screen readers start there. Not on
 * the first load, and not where something on the page has taken it, such as the first field of a form.
 */
export function followFocus(router: Moves, page: Document = document): () => void {
  return router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    if (!fromLocation || !pathChanged) return;
    const main = page.querySelector('main');
    if (main?.contains(page.activeElement)) return;
    main?.querySelector<HTMLElement>('h1[tabindex]')?.focus({ preventScroll: true });
  });
}

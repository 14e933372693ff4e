/** The router's event; without `fromLocation` on the first load. */
type Moved = { fromLocation?: unknown; pathChanged: boolean };
type Moves = { subscribe: (event: 'onRendered', listener: (moved: Moved) => void) => () => void };

/**
 * Focuses the new page's heading after a navigation, so that keyboards and screen readers start there. Not on the
 * first load, and not if something in the page has the focus, such as a form's first field.
 */
export function followFocus(router: Moves, page: Document = document): () => void {
  return router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    if (!fromLocation || !pathChanged) return;
    const main = page.querySelector('main');
    if (main?.contains(page.activeElement)) return;
    main?.querySelector<HTMLElement>('h1[tabindex]')?.focus({ preventScroll: true });
  });
}

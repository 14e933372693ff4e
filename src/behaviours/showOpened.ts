/** Lists of rows. On a narrow screen the opened item is below its list. */
const LISTS = '[data-rows]';
/** Pixels of an item that have to be in the window for it to count as in view. */
const SEEN_PX = 120;

/**
 * Scrolls to the item that the user opened from a list, and focuses it, unless it is in view. For the element that
 * shows the item, and names it in `data-opened`. A ref callback that returns its undo.
 */
export function showOpened(area: HTMLElement): () => void {
  const page = area.ownerDocument;
  const window = page.defaultView;
  const show = () => {
    if (!window || !page.activeElement?.closest(LISTS)) return;
    const { top, bottom } = area.getBoundingClientRect();
    if (top < window.innerHeight - SEEN_PX && bottom > SEEN_PX) return;
    const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    area.focus({ preventScroll: true });
    area.scrollIntoView({ block: 'start', behavior: isStill ? 'auto' : 'smooth' });
  };
  const changes = new MutationObserver(show);
  changes.observe(area, { attributes: true, attributeFilter: ['data-opened'] });
  show();
  return () => changes.disconnect();
}

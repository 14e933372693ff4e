/** Where rows are chosen: what is opened from there stands below it on a narrow screen. */
const LISTS = '[data-rows]';
/** How much of an item has to be in the window to be seen, in px. */
const SEEN_PX = 120;

/**
 * Brings what a person opened from a list into sight, and gives it the focus, where the list leaves no room for it beside
 * itself. For the element that shows it, whose `data-opened` names what; where it is in sight, nothing moves. As a ref
 * callback it returns its own undo.
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

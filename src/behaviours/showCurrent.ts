/** The entry of the screen that is open; where its group is folded away, the row that unfolds it. */
function current(element: HTMLElement): { href: string; row: Element } | null {
  const entry = element.querySelector('li > [aria-current=page]:not([data-option], [role=option])');
  if (!entry) return null;
  const folded = entry.closest('[hidden]');
  return { href: entry.getAttribute('href') ?? '', row: folded?.previousElementSibling ?? entry };
}

/**
 * Keeps the entry of the screen that is open in sight, in a navigation that is longer than its window: once it has
 * become another one, and not again while the person scrolls. For the element that scrolls; as a ref callback it returns
 * its own undo.
 */
export function showCurrent(element: HTMLElement): () => void {
  let shown: string | null = null;
  const show = () => {
    const found = current(element);
    if (found && found.href !== shown) found.row.scrollIntoView({ block: 'nearest' });
    shown = found?.href ?? null;
  };
  // The entries of another place come and go; the current one of this place moves.
  const moves = new MutationObserver(show);
  moves.observe(element, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-current'] });
  // With the frame that lays the page out anyway. At once, the first screen would be laid out twice.
  const frame = requestAnimationFrame(show);
  return () => {
    cancelAnimationFrame(frame);
    moves.disconnect();
  };
}

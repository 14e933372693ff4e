/** The entry of the open screen, or the row that unfolds its group. */
function current(element: HTMLElement): { href: string; row: Element } | null {
  const entry = element.querySelector('li > [aria-current=page]:not([data-option], [role=option])');
  if (!entry) return null;
  const folded = entry.closest('[hidden]');
  return { href: entry.getAttribute('href') ?? '', row: folded?.previousElementSibling ?? entry };
}

/**
 * Scrolls a long navigation to the entry of the open screen, each time another screen opens. For the element that
 * scrolls. A ref callback that returns its undo.
 */
export function showCurrent(element: HTMLElement): () => void {
  let shown: string | null = null;
  const show = () => {
    const found = current(element);
    if (found && found.href !== shown) found.row.scrollIntoView({ block: 'nearest' });
    shown = found?.href ?? null;
  };
  // Another place changes the entries, another screen only `aria-current`.
  const moves = new MutationObserver(show);
  moves.observe(element, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-current'] });
  // With the frame that lays the page out anyway. At once, the first screen would be laid out twice.
  const frame = requestAnimationFrame(show);
  return () => {
    cancelAnimationFrame(frame);
    moves.disconnect();
  };
}

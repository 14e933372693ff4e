/**
 * Keeps the entry of the screen that is open in sight, in a navigation that is longer than its window. For the element
 * that scrolls; as a ref callback it returns its own undo.
 */
export function showCurrent(element: HTMLElement): () => void {
  const show = () => element.querySelector('li [aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  const moves = new MutationObserver(show);
  moves.observe(element, { subtree: true, attributes: true, attributeFilter: ['aria-current'] });
  show();
  return () => moves.disconnect();
}

/** Pixels of the output that have to be in the window for it to count as in view. */
const SEEN_PX = 160;

/**
 * Scrolls to an output when it begins to fill, unless it is in view: only as far as needed, so that the Stop button
 * above stays in view if there is room. Leaves the focus. For the element that shows the output, with `data-runs`
 * while it fills. A ref callback that returns its undo.
 */
export function showRunning(output: HTMLElement): () => void {
  const window = output.ownerDocument.defaultView;
  const show = () => {
    if (!window || !output.hasAttribute('data-runs')) return;
    if (output.getBoundingClientRect().top < window.innerHeight - SEEN_PX) return;
    const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    output.scrollIntoView({ block: 'nearest', behavior: isStill ? 'auto' : 'smooth' });
  };
  const changes = new MutationObserver(show);
  changes.observe(output, { attributes: true, attributeFilter: ['data-runs'] });
  show();
  return () => changes.disconnect();
}

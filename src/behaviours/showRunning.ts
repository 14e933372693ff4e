/** How much of it has to be in the window to be seen, in px. */
const SEEN_PX = 160;

/**
 * Brings an output into sight as something begins to fill it, with what stands above it, such as the button that ends that, in as far
 * as there is room. For the element that shows it, which carries `data-runs` meanwhile; where it is in sight, nothing moves, and the
 * focus stays where it is. As a ref callback it returns its own undo.
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

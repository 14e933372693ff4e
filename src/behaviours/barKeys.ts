/**
 * Lets the left and right arrow keys, Home and End move the focus among the `[data-bar]` elements of a chart, of which
 * one is in the order of tabs. As a ref callback it returns its own undo.
 */
export function barKeys(chart: Element): () => void {
  const keyDown = (event: Event) => {
    if (!(event instanceof KeyboardEvent)) return;
    const bars = [...chart.querySelectorAll<SVGElement>('[data-bar]')];
    const current = bars.findIndex((bar) => bar === chart.ownerDocument.activeElement);
    const next = target(event.key, current, bars.length);
    if (next === undefined) return;
    event.preventDefault();
    bars[next]?.focus();
  };
  chart.addEventListener('keydown', keyDown);
  return () => chart.removeEventListener('keydown', keyDown);
}

function target(key: string, current: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return Math.min(current + 1, count - 1);
    case 'ArrowLeft':
      return Math.max(current - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

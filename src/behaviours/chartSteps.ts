/** The pointed step and the keys of a plot whose steps are side by side. */

/** The step under the pointer, from 0. @param x CSS pixels from the left of the window */
export function stepUnder(element: Element, x: number, count: number): number {
  const { left, width } = element.getBoundingClientRect();
  return Math.min(count - 1, Math.max(0, Math.floor(((x - left) / width) * count)));
}

/** The step that a key moves to; undefined for other keys. */
export function stepByKey(key: string, current: number, last: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(current + 1, last);
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(current - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

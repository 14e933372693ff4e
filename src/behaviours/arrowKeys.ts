/**
 * Lets the arrow keys, Home and End move the focus among the `[data-option]` elements inside an element, from a search
 * field above them too. A ref callback that returns its undo.
 */
export function arrowKeys(element: HTMLElement): () => void {
  const keyDown = (event: KeyboardEvent) => {
    // A list inside may handle the key itself.
    if (event.defaultPrevented) return;
    const options = [...element.querySelectorAll<HTMLElement>('[data-option]')];
    const current = options.findIndex((option) => option === element.ownerDocument.activeElement);
    const isTyping = event.target instanceof HTMLInputElement;
    const next = target(event.key, current, options.length, isTyping);
    if (next === undefined) return;
    event.preventDefault();
    options[next]?.focus();
  };
  element.addEventListener('keydown', keyDown);
  return () => element.removeEventListener('keydown', keyDown);
}

function target(key: string, current: number, count: number, isTyping: boolean): number | undefined {
  if (count === 0) return undefined;
  switch (key) {
    case 'ArrowDown':
      return (current + 1) % count;
    case 'ArrowUp':
      return (current <= 0 ? count : current) - 1;
    case 'Home':
      return isTyping ? undefined : 0;
    case 'End':
      return isTyping ? undefined : count - 1;
    default:
      return undefined;
  }
}

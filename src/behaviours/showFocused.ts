/**
 * Scrolls what the keyboard focuses inside this element into view: a dialog gives the focus to its first element, when
 * it opens and after its last one, without scrolling. A ref callback that returns its undo.
 */
export function showFocused(area: HTMLElement | null): (() => void) | undefined {
  if (!area) return undefined;
  // What a mouse has just pressed must not move away from it.
  const show = (element: unknown) => {
    if (element instanceof Element && element.matches(':focus-visible')) element.scrollIntoView({ block: 'nearest' });
  };
  const showTarget = ({ target }: FocusEvent) => show(target);
  area.addEventListener('focusin', showTarget);
  const { activeElement } = area.ownerDocument;
  if (area.contains(activeElement)) show(activeElement);
  return () => area.removeEventListener('focusin', showTarget);
}

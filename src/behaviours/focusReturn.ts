import { takenFrom } from './takeFocus.ts';

/** For each dialog, the elements that had the focus before it opened, newest first. */
const focusedBefore = new WeakMap<Element, readonly Element[]>();

/**
 * Gives the focus back when a dialog closes: to the element that had it before. If that is in a closed dialog, to the
 * element focused before that dialog. `remember` is a ref callback for the dialog; `target()` gives the element.
 */
export function createFocusReturn(page: Document = document) {
  let previous: readonly Element[] = [];
  return {
    remember: (content: HTMLElement | null) => {
      if (!content || focusedBefore.has(content)) return;
      const active = focusOutside(content, page);
      if (!active) return;
      const dialog = active.closest('[role=dialog], [role=alertdialog]');
      previous = [active, ...((dialog && focusedBefore.get(dialog)) ?? [])];
      focusedBefore.set(content, previous);
    },
    // A closing dialog is still in the page.
    target: (): HTMLElement | null =>
      previous.find(
        (element): element is HTMLElement =>
          element instanceof HTMLElement &&
          element.isConnected &&
          element !== page.body &&
          !element.closest('[role=dialog][data-state=closed]'),
      ) ?? null,
  };
}

/** The focused element. If a field of the dialog has taken the focus already: the element that had it before. */
function focusOutside(content: HTMLElement, { activeElement }: Document): Element | null {
  if (!activeElement || !content.contains(activeElement)) return activeElement;
  return takenFrom(activeElement) ?? null;
}

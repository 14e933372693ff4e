import { takenFrom } from './takeFocus.ts';

/** The elements that had the focus when a dialog opened, the last first, by the dialog. */
const origins = new WeakMap<Element, readonly Element[]>();

/**
 * Gives the focus back when a dialog closes: to the element that had it before. If that was in a dialog that is gone,
 * to the element focused before that dialog. `remember`: a ref callback for the dialog; `target`: asked on closing.
 */
export function createFocusReturn(page: Document = document) {
  let origin: readonly Element[] = [];
  return {
    remember: (content: HTMLElement | null) => {
      if (!content || origins.has(content)) return;
      const active = focusOutside(content, page);
      if (!active) return;
      const dialog = active.closest('[role=dialog], [role=alertdialog]');
      origin = [active, ...((dialog && origins.get(dialog)) ?? [])];
      origins.set(content, origin);
    },
    // A closing dialog is still in the page.
    target: (): HTMLElement | null =>
      origin.find(
        (element): element is HTMLElement =>
          element instanceof HTMLElement &&
          element.isConnected &&
          element !== page.body &&
          !element.closest('[role=dialog][data-state=closed]'),
      ) ?? null,
  };
}

/** The focused element, or the one before a field of the content took the focus, which happens before `remember`. */
function focusOutside(content: HTMLElement, { activeElement }: Document): Element | null {
  if (!activeElement || !content.contains(activeElement)) return activeElement;
  return takenFrom(activeElement) ?? null;
}

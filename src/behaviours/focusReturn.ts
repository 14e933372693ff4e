import { takenFrom } from './takeFocus.ts';

/** Where the focus was when something was laid over the page, by what was laid over it. */
const origins = new WeakMap<Element, readonly Element[]>();

/**
 * Gives the focus back when a dialog closes: to what had it before, or, where that was in a dialog that is gone by now,
 * to what had it before that one. `remember` is a ref callback for the dialog's content; `target` answers on closing.
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
    // A dialog on its way out is still in the page.
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

/** What has the focus, or had it before a field of the content took it: a field appears before what it is in. */
function focusOutside(content: HTMLElement, { activeElement }: Document): Element | null {
  if (!activeElement || !content.contains(activeElement)) return activeElement;
  return takenFrom(activeElement) ?? null;
}

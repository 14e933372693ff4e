/** The element focused before, by the element that took the focus. */
const taken = new WeakMap<Element, Element>();

/** Focuses the first field of a page or dialog that is only a form. A ref callback. */
export function takeFocus(element: HTMLElement | null): void {
  if (!element) return;
  const { activeElement } = element.ownerDocument;
  if (activeElement && activeElement !== element) taken.set(element, activeElement);
  element.focus({ preventScroll: true });
}

/** The element focused before {@link takeFocus} focused this one; undefined if it did not. */
export const takenFrom = (element: Element): Element | undefined => taken.get(element);

/** Focuses the heading of a page that replaces another, such as after a change of role, if nothing has the focus. */
export function takeFreeFocus(element: HTMLElement | null): void {
  if (!element) return;
  const { activeElement, body } = element.ownerDocument;
  if (activeElement === null || activeElement === body) takeFocus(element);
}

/** The field with this id, to focus again; null if it is not on the page. */
export const fieldOf = (id: string, page: Document = document): HTMLElement | null => page.getElementById(id);
